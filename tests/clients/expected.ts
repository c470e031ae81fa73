export const EXPECTED = {
  ...{ minVersion: "1.3", action: "rate-limit", description: "1.1", enabled: false, backend: true },
  ...{ listed: [true], next: null, token: "string", refused: "TP_1001", gone: 204 },
};
