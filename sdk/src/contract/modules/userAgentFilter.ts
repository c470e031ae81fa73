import type * as Re2 from "re2js";
import { z } from "zod";
import { conditioned, MOST_ENTRIES, module, word } from "../core/fields";

/** A regular expression that runs in linear time: RE2's syntax, which has no back-references and no look-around. */
const pattern = () =>
  conditioned(word(1024), (value) => {
    // Loaded when first needed: few programs filter user agents.
    const { RE2JS } = require("re2js") as typeof Re2;
    try {
      RE2JS.compile(value);
      return undefined;
    } catch (error) {
      const beyondRe2 = /\(\?<?[=!]|\\[1-9]/.test(value) ? "; look-around and back-references are not part of RE2" : "";
      return `is no regular expression that RE2 accepts (${(error as Error).message})${beyondRe2}`;
    }
  });

const patterns = (doc: string) => z.array(pattern()).max(MOST_ENTRIES).default([]).meta({ description: doc });

/** spec "User agent filter module". */
export const userAgentFilter = () =>
  module(
    { doc: "Allows or denies requests by their User-Agent header." },
    {
      allow: patterns("Regular expressions (RE2) of agents that may pass."),
      deny: patterns("Regular expressions (RE2) of agents that may not."),
    },
  );
