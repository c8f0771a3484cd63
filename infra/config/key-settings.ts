import { providerKeys } from "../../ingestors/providers.ts"
import { matching, optional, type Setting } from "./setting.ts"

/** A key is removed from whatever repeats it, so that it must be too long to be a word of its own. */
const Key = matching(/^[\x21-\x7e]{8,512}$/, "must be 8 to 512 characters of ASCII without blanks")

/** The keys of the providers that sources poll. Each provider declares its own; none of them is ever printed. */
export const keySettings: ReadonlyArray<Setting<string | null>> = providerKeys.map(
  ({ setting, description, signupUrl, optional: isOptional }) =>
    optional(
      setting,
      Key,
      `key of ${description}; absent: ${isOptional ? "polled without it" : "its sources rest"}; from ${signupUrl}`,
      true,
    ),
)
