/** A message of Envoy's configuration, written as JSON, which leaves out fields that are undefined. */
export type Json = { readonly [name: string]: unknown };

/** A message that names its type, as extensions need it. */
export const typed = (type: string, fields: Json = {}): Json => ({
  "@type": `type.googleapis.com/${type}`,
  ...fields,
});

/** A filter that routes turn on by its name. */
export type NamedFilter = Json & { readonly name: string };

/** An extension by its name. */
export const extension = (name: string, type: string, fields: Json = {}): Json => ({
  name,
  typed_config: typed(type, fields),
});

/** A filter that runs a script in Lua, for tasks that no other filter can do. */
export const script = (name: string, inline_string: string): Json =>
  extension(name, "envoy.extensions.filters.http.lua.v3.Lua", { default_source_code: { inline_string } });

/** Where Envoy asks for what a message only names. */
export const FROM_GATEWAY: Json = { ads: {}, resource_api_version: "V3" };

/** A secret by its name. */
export const secretNamed = (name: string): Json => ({ name, sds_config: FROM_GATEWAY });

/** Turns a filter on that is off elsewhere. */
export const turnOn = (): Json => typed("envoy.config.route.v3.FilterConfig", { config: {} });
