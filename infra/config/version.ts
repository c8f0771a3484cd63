import packageJson from "../../package.json" with { type: "json" }

/** The version of this Tidewire. */
export const VERSION: string = packageJson.version
