import { conditioned, text } from "../core/fields";

/** An Amazon Resource Name: `arn:<partition>:<service>:<region>:<account>:<resource>`. */
export const arn = (example: string) =>
  conditioned(text(2048), (value) =>
    /^arn:[\w-]+:[\w-]+:[\w-]*:\d*:\S+$/.test(value) ? undefined : `must be an ARN, for example "${example}"`,
  ).meta({
    examples: [example],
  });
