/** Whether the id of the key of a request is that of a session, which has no object at `/api_keys`. */
export const isSession = (keyId: string): boolean => keyId.startsWith("ses_");
