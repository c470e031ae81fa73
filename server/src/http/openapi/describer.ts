import { parentPort, workerData } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { allOperations } from "../operations";
import { deviceOperation, loginKeyOperation } from "../operations/login";
import { sessionOperation, signOutOperation } from "../operations/session";
import { tokenOperation } from "../operations/token";
import type { DescriberData, Descriptions } from "./descriptions";
import { openapi } from "./document";

/** The thread that makes the OpenAPI documents. */
const order: DescriberData = workerData;
const operations = [
  ...allOperations(),
  sessionOperation,
  signOutOperation,
  deviceOperation,
  loginKeyOperation,
  tokenOperation,
];
const descriptions: Descriptions = {
  clients: JSON.stringify(openapi(operations, order, "clients")),
  wire: JSON.stringify(openapi(operations, order, "wire")),
};
present(parentPort).postMessage(descriptions);
