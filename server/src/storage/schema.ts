/** The tables, as Kysely sees them. */
export interface Database {
  /** Facts about the database itself. */
  setting: { name: string; value: string };
  /** Users; bots are resources. */
  principal: { id: string; name: string; role: "admin" | "member"; created_at: string };
  /** Every object of every kind. `document` is the JSON that a GET answers. */
  resource: { id: string; kind: string; owner_id: string; version: number; document: string };
  /** Which object refers to which, and whether it is deleted along with it (`cascades`). */
  reference: { from_id: string; to_id: string; field: string; cascades: 0 | 1 };
  /** Values that one object at a time may hold. */
  unique_key: { scope: string; value: string; resource_id: string };
  /** Hashes of secrets that were told once: authtokens and API keys. */
  told_secret: { resource_id: string; hash: string };
}
