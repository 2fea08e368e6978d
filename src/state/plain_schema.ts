/** A schema as plain JSON: the keywords that schemas of tools and of packet documents have. */
export interface PlainSchema {
  type?: string;
  title?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly PlainSchema[];
  items?: PlainSchema;
  properties?: Readonly<Record<string, PlainSchema>>;
  required?: readonly string[];
  /** The schema of members that no name is given for; false forbids them. */
  additionalProperties?: boolean | PlainSchema;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  propertyNames?: Pick<PlainSchema, "title" | "pattern"> & { enum?: readonly string[] };
}
