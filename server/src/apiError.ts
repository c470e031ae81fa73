import { ERRORS, type ErrorBody, type ErrorName, formatPath, type Problem } from "@tunnelplane/sdk/contract";

/** A refusal that the API answers as such; everything else that is thrown is a 500. */
export class ApiError extends Error {
  constructor(
    readonly error: ErrorName,
    message: string,
    readonly options: { readonly path?: readonly PropertyKey[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
  }

  get status(): number {
    return ERRORS[this.error].status;
  }

  body(operationId: string): ErrorBody {
    const { code, status } = ERRORS[this.error];
    const details: Record<string, string> = { operation_id: operationId };
    if (this.options.path?.length) details.field = formatPath(this.options.path);
    return { error_code: code, status_code: status, msg: this.message, details };
  }
}

/** One refusal for everything that is wrong with a body: code and field of the first problem, the words of all. */
export function refuseProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const lines = problems.map((problem) => `${formatPath(problem.path) || "the body"} ${problem.message}`);
  throw new ApiError(first.error, lines.join("; "), { path: first.path });
}
