import { conditioned, text } from "../core/fields";

const urlOf = (beginning: RegExp, words: string, example: string) =>
  conditioned(text(2048), (value) => {
    if (!beginning.test(value) || !URL.canParse(value))
      return `must be an absolute URL that begins with ${words}`;
    const { username, password } = new URL(value);
    return username || password
      ? "must not hold a user name or a password: it is shown to everybody who may read the object"
      : undefined;
  }).meta({ examples: [example] });

/** An absolute https URL. */
export const httpsUrl = () => urlOf(/^https:\/\//i, '"https://"', "https://id.example.com");

/** An absolute http or https URL. It is only compared as a name; nobody sends a request to it. */
export const webUrl = () => urlOf(/^https?:\/\//i, '"https://" or "http://"', "https://id.example.com");
