import { readFileSync } from "node:fs";
import { request } from "node:https";

const LONGEST_MS = 5000;
const LARGEST = 1_048_576;

/** What an https URL answers. @param trust the file with the authorities that it is checked against */
export function ask(url: string, trust: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca: readFileSync(trust), timeout: LONGEST_MS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (text.length > LARGEST) asked.destroy(new Error(`it answered more than ${LARGEST} characters`));
      });
      answer.on("error", reject).on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`it answered ${answer.statusCode}`));
      });
    });
    asked.setTimeout(LONGEST_MS, () => asked.destroy(new Error(`it does not answer within ${LONGEST_MS / 1000} s`)));
    asked.on("error", reject).end();
  });
}
