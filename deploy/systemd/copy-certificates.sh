#!/bin/sh
# copy-certificates.sh FROM TO: copies a folder of certificates and keys to TO/certs, readable for the owner of TO alone.
# The whole folder changes at once, so that no certificate is ever beside the key of another.
set -eu
umask 077
new=$(mktemp -d "$2/certs-XXXXXX")
cp -L "$1"/* "$new"
chmod 600 "$new"/*
chown -R --reference="$2" "$new"
old=$(readlink "$2/certs" || true)
ln -s "$(basename "$new")" "$new.link"
mv -T "$new.link" "$2/certs"
[ -z "$old" ] || rm -r "${2:?}/$old"
