import { conditioned, text } from "../core/fields";

/** The form of the name of a gateway. */
export const GATEWAY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

/** The form in words. */
export const GATEWAY_NAME_FORM =
  "at most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit";

/** The name of a gateway. */
export const gatewayName = () =>
  conditioned(text(255), (name) =>
    GATEWAY_NAME.test(name) ? undefined : `is not a name of a gateway: expected ${GATEWAY_NAME_FORM}`,
  );
