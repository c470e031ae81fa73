import { answerOrders } from "./threads";
import { type Purpose, validate } from "./validate";

/** A body to be checked, as JSON. */
export interface BodyToCheck extends Purpose {
  readonly json: string;
}

answerOrders(({ json, ...purpose }: BodyToCheck) => validate(purpose, JSON.parse(json)));
