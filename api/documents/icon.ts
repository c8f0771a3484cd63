import * as Result from "effect/Result"
import { iconEndpoint } from "../../schemas/endpoints/icon.ts"
import { document } from "../routes/document.ts"

// Attributes alone: the policy of every reply applies no style.
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b6e83"/>
<g fill="none" stroke="#ffffff" stroke-width="2.5" stroke-linecap="round">
<path d="M6 11q5-5 10 0t10 0"/>
<path d="M6 17q5-5 10 0t10 0" opacity="0.8"/>
<path d="M6 23q5-5 10 0t10 0" opacity="0.55"/>
</g>
</svg>
`

/** The icon of the pages. */
export default document({ endpoint: iconEndpoint, make: () => () => Result.succeed(ICON) })
