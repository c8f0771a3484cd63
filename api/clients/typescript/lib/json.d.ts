/** Whether a value is a JSON object. */
export declare const isObject: (value: unknown) => value is Readonly<Record<string, unknown>>;
