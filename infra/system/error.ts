/** The code of an error of Node or of a library, such as `ENOENT`; undefined without one. */
export const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** The message of an error, or the text of another value that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
