#!/bin/sh
# copy-certificates.sh FROM TO: copies the certificates and keys of a folder, not of its subfolders, to TO/certs, readable
# for the owner of TO alone. All change at once, so that no certificate is ever beside the key of another.
set -eu
umask 077
from=$1
to=$2

# However this ends, no copy of a key stays but those that are served.
remove_unserved() {
  served=$(readlink "$to/certs" || true)
  for copy in "$to"/certs-*; do
    [ "$copy" = "$to/$served" ] || rm -rf "$copy"
  done
}
trap remove_unserved EXIT
trap 'exit 1' HUP INT TERM

new=$(mktemp -d "$to/certs-XXXXXX")
for file in "$from"/*.pem "$from"/*.crt "$from"/*.key; do
  # A pattern stays as it is where no file fits it. A link that leads nowhere is an error: the last copies stay.
  if [ -f "$file" ] || [ -L "$file" ]; then install --mode=600 "$file" "$new"; fi
done
if [ -z "$(ls "$new")" ]; then
  echo "$from has no certificates: put NAME.pem or NAME.crt there, beside NAME.key" >&2
  exit 1
fi
chown -R --reference="$to" "$new"
ln -s "$(basename "$new")" "$new.link"
mv -T "$new.link" "$to/certs"
