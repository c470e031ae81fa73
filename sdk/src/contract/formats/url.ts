import { z } from "zod";
import { conditioned } from "../core/fields";

/** An absolute https URL. */
export const httpsUrl = () =>
  conditioned(z.string(), (value) =>
    URL.canParse(value) && new URL(value).protocol === "https:" && /^https:\/\//i.test(value)
      ? undefined
      : 'must be an absolute URL that begins with "https://"',
  ).meta({ examples: ["https://id.example.com"] });
