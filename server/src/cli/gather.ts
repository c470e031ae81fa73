/** The first items of a list that comes page by page, and whether there are more. */
export async function gather<T>(
  list: AsyncIterable<T>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = [];
  for await (const item of list) {
    if (items.length === most) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
