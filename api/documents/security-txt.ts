import * as Result from "effect/Result"
import { dayOf } from "../../schemas/day.ts"
import { securityTxtEndpoint } from "../../schemas/endpoints/security-txt.ts"
import { linksOf, notFound } from "../http/problems.ts"
import { document } from "../routes/document.ts"

const DAY_MS = 86_400_000
/** For how long the text may be relied on: less than the year that RFC 9116 recommends at most. */
const VALID_DAYS = 180

/** The contact that the operator names. It stays the same for a day. */
export default document({
  endpoint: securityTxtEndpoint,
  make:
    ({ options }) =>
    () => {
      const { securityContact = null, baseUrl } = options
      if (securityContact === null) return Result.fail(notFound("", [], linksOf(baseUrl)))
      return Result.succeed(
        [
          `Contact: ${securityContact}`,
          `Expires: ${dayOf(options.nowMs() + VALID_DAYS * DAY_MS)}T00:00:00Z`,
          "Preferred-Languages: en",
          // An address without https would not be one that RFC 9116 accepts.
          ...(baseUrl?.startsWith("https:") === true ? [`Canonical: ${baseUrl}${securityTxtEndpoint.path}`] : []),
          "",
        ].join("\n"),
      )
    },
})
