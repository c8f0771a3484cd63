import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { Input } from "./view.ts"

/**
 * A view that a processor of its own builds, as its data needs more state than the inputs of a `view` keep. It declares the
 * feeds that it reads: attribution, freshness and the terms of resale follow from them.
 */
export interface FoldedView {
  readonly _tag: "FoldedView"
  readonly endpoint: ViewEndpoint
  /** The name of the processor, which publishes the view under the path of its endpoint. */
  readonly processor: string
  readonly reads: Readonly<Record<string, Input>>
}

/** Declares a view that the processor of this name builds. */
export const foldedView = <const Definition extends Omit<FoldedView, "_tag">>(
  definition: Definition,
): Definition & FoldedView => ({ _tag: "FoldedView", ...definition })
