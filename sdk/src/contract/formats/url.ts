import { conditioned, text } from "../core/fields";

/** An absolute https URL. */
export const httpsUrl = () =>
  conditioned(text(2048), (value) => {
    if (!/^https:\/\//i.test(value) || !URL.canParse(value)) return 'must be an absolute URL that begins with "https://"';
    const { username, password } = new URL(value);
    return username || password ? "must not hold a user name or a password: it is shown to everybody who may read the object" : undefined;
  }).meta({ examples: ["https://id.example.com"] });
