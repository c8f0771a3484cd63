import { confirmBody } from "./service.js"

/**
 * Makes the function that carries out a claim, called with it after each change: it sends each confirm once, and calls back
 * when the next one is due. Null ends it.
 * @param {{
 *   readonly send: import("./service.js").Send,
 *   readonly path: string,
 *   readonly nowMs: () => number,
 *   readonly later: (run: () => void, pauseMs: number) => () => void,
 * }} surroundings
 * @param {(event: import("./claim.js").ClaimEvent) => void} dispatch
 * @returns {(claim: import("./claim.js").Claim | null) => void}
 */
export const runClaims = ({ send, path, nowMs, later }, dispatch) => {
  let sent = 0
  let cancel = () => {}
  return (claim) => {
    cancel()
    cancel = () => {}
    if (claim === null) return
    const { attempt, step } = claim
    if (step.tag === "asking" && sent !== attempt) {
      sent = attempt
      send(path, { body: confirmBody(claim) }).then((reply) =>
        dispatch({ tag: "claimReplied", attempt, reply, nowMs: nowMs() }),
      )
    }
    if (step.tag === "waiting")
      cancel = later(() => dispatch({ tag: "claimDue", attempt }), Math.max(0, step.untilMs - nowMs()))
  }
}
