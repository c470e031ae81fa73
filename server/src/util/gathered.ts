/** Returns a function whose calls within this time lead to one call, at the end of it. */
export function gathered(ms: number, call: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      call();
    }, ms).unref();
  };
}
