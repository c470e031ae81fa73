import { mistakeInHeaderValue, mistakeInResponseHeader } from "../../../contract/formats/http";
import { isObject } from "../../values";
import { Unservable } from "./unservable";

/** @throws Unservable for an answer that Envoy could not give by itself */
export function refuseAnswer(status: number, headers: unknown): void {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Unservable(
      `it answers with the status ${status}, which is none that a request can end with: use 200 to 599`,
    );
  for (const [name, value] of isObject(headers) ? Object.entries(headers) : []) {
    const mistake = mistakeInResponseHeader(name) ?? mistakeInHeaderValue(String(value));
    if (mistake) throw new Unservable(`it answers with the header ${JSON.stringify(name)}, which ${mistake}`);
  }
}
