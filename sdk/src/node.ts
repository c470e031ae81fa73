import "./nodeVersion";

/**
 * Lets a command go on when the reader of its output has gone, such as `head`: it ends with its own exit code. Without this,
 * Node ends it with a stack.
 */
export function outliveReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
