import { OWN_PATHS } from "@tunnelplane/sdk/contract";
import { extension, type Json } from "./json";
import { metadataFilter, whereMetadata } from "./metadata";
import { pageOf, withPage } from "./pages";

/** A mark before the filter that signs users in, which tells its answers apart from others. */
export const SIGNING_IN = "signing in";
const MARKED = "tunnelplane.sign-in";

export const signingIn = (): Json => metadataFilter(SIGNING_IN, MARKED, { asked: true });

const asked = whereMetadata(MARKED, ["asked"], { bool_match: true });
const unauthorized: Json = {
  status_code_filter: {
    comparison: { op: "EQ", value: { default_value: 401, runtime_key: "tunnelplane.none" } },
  },
};
const atPath = (regex: string): Json => ({
  header_filter: { header: { name: ":path", string_match: { safe_regex: { regex } } } },
});
const CALLBACK = `${OWN_PATHS}callback/`.replaceAll(".", "[.]");
const failed: Json = { and_filter: { filters: [asked, unauthorized, atPath(`${CALLBACK}.*`)] } };

/** Answers to requests that no person navigates, and pages for those whose sign-in failed. */
export const signInAnswers = (): Json[] => [
  {
    filter: { and_filter: { filters: [asked, unauthorized, atPath(`${CALLBACK}[^?]*[?](.*&)?error=.*`)] } },
    ...withPage(
      failure(
        "The identity provider did not let you in. Ask the people who run this site whether your account may.",
      ),
    ),
  },
  {
    filter: failed,
    ...withPage(
      failure(
        "It took longer than ten minutes, was begun in another browser, or the identity provider did not accept it.",
      ),
    ),
  },
  {
    filter: { and_filter: { filters: [asked, unauthorized] } },
    body: { inline_string: "Sign in first: open this site in a browser.\n" },
    headers_to_add: [
      {
        header: { key: "www-authenticate", value: 'Cookie realm="sign-in"' },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    ],
  },
];

/** Nothing of a request is shown: anybody may write one. */
const failure = (reason: string): string =>
  pageOf(
    "The sign-in failed",
    `<h1>The sign-in failed</h1>
<p>${reason}</p>
<p>The log of the gateway has more, under the number <code>%STREAM_ID%</code>.</p>
<p><a href="/">Sign in again</a></p>`,
  );

/** One line for each sign-in that failed, with the number that its page shows. */
export const failedSignIns = (): Json => ({
  ...extension("failed sign-ins", "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog", {
    log_format: {
      json_format: {
        time: "%START_TIME%",
        sign_in_failed: "%STREAM_ID%",
        client: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
        host: "%REQ(:AUTHORITY)%",
        route: "%ROUTE_NAME%",
        reason: "%RESPONSE_CODE_DETAILS%",
      },
    },
  }),
  filter: failed,
});
