// Keeps what a page shows current while a reader sees it. Changes of its feeds come by the stream, and the page then reads its
// reply; beside that it reads only when a promise of freshness ends, and at the interval of what changes without a change of
// an item. Without the stream it reads at the interval of the reply, and says so.

import { durationText } from "../age.js"
import { pacedReader } from "./reader.js"
import { sharedStream } from "./shared-stream.js"

/** A change is read after this time and up to as much again: changes come in bursts, and many pages read the same. */
const GATHER_MS = 200
/** A view may follow a change of its feed by a moment: the reply is read again so long after the last change. */
const CONFIRM_MS = 2_000
/** Connections are renewed from time to time: one that is back within this time was not broken. */
const RENEWAL_MS = 7_000
/** So long before a promise of freshness ends, the page asks whether there is a later one. */
const PROMISE_LEAD_MS = 2_000
/** The ticks of a tab that is seen are later than this only where the machine slept. */
const SLEPT_MS = 60_000
const TIMEOUT_MS = 10_000
const OFFLINE = "This device is offline"
const SECOND_MS = 1_000

/**
 * @typedef {object} Shown What a page shows.
 * @property {string} url Of the reply, which is JSON.
 * @property {string | undefined} stream Of the stream of changes; undefined where the service offers none.
 * @property {ReadonlyArray<string>} feeds The feeds with changes that the reply is made of.
 * @property {number} ttlMs How often it is read without the stream.
 * @property {number | null} refreshMs How often it is read beside the stream; null where it changes by changes of items alone.
 * @property {number} renderedAtMs When the page was rendered, by the clock of the service.
 * @property {HTMLElement} said Where it is said that there is no stream: a live region.
 * @property {() => ReadonlyArray<number>} promises When what is shown as current becomes stale.
 * @property {(reply: any) => void} write Writes a new reply into the page.
 * @property {(standing: Standing) => void} show Shows how the page stands: each second, and after each reading.
 */

/**
 * @typedef {object} Standing
 * @property {number} nowMs By the clock of the service.
 * @property {string | null} sentAt When the service sent its last answer; null before the first one.
 * @property {string | null} failure Why it could not be read the last time; null where it could.
 */

/** Whether tabs can share a stream: browsers have locks only where the page came over TLS or from this machine. */
const canShare = () => "EventSource" in window && "BroadcastChannel" in window && navigator.locks !== undefined

/** @param {Shown} shown */
export const keepCurrent = ({ url, stream, feeds, ttlMs, refreshMs, renderedAtMs, said, promises, write, show }) => {
  /** The clock of the service less the one of this page, which counts from its start and is never set. */
  let aheadMs = renderedAtMs - performance.now()
  let etag = ""
  let sentAt = /** @type {string | null} */ (null)
  let failure = /** @type {string | null} */ (null)
  let readAtMs = performance.now()
  let tickedAtMs = Date.now()
  /** Promises that end before this instant were asked about. */
  let askedUntilMs = renderedAtMs
  /** Ends a reading that is wanted no more. */
  let resting = new AbortController()
  /** Whether changes come by the stream, or will in a moment. */
  let isFollowing = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let confirmTimer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let renewalTimer

  const without = `Without it this page is read every ${durationText(ttlMs)}.`
  const nowMs = () => performance.now() + aheadMs
  const showNow = () => show({ nowMs: nowMs(), sentAt, failure })
  const failed = (/** @type {string} */ reason) => {
    failure = reason
    showNow()
  }
  const say = (/** @type {string} */ text) => {
    // Written only where it differs: each change is read out.
    if (said.textContent !== text) said.textContent = text
  }

  /** Reads the reply where it has changed; gives how long the service wants no other reading. */
  const read = async () => {
    readAtMs = performance.now()
    askedUntilMs = nowMs() + PROMISE_LEAD_MS
    const response = await fetch(url, {
      headers: { Accept: "application/json", ...(etag === "" ? {} : { "If-None-Match": etag }) },
      cache: "no-store",
      signal: AbortSignal.any([resting.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const pauseMs = Number(response.headers.get("Retry-After")) * SECOND_MS || 0
    if (!response.ok && response.status !== 304) {
      failed(`The service answers with status ${response.status}`)
      return pauseMs
    }
    const sentAtMs = Date.parse(response.headers.get("Date") ?? "")
    if (response.ok) {
      const reply = await response.json()
      etag = response.headers.get("ETag") ?? ""
      write(reply)
    }
    if (!Number.isNaN(sentAtMs)) {
      aheadMs = sentAtMs - performance.now()
      sentAt = new Date(sentAtMs).toISOString()
      askedUntilMs = sentAtMs + PROMISE_LEAD_MS
    }
    failure = null
    showNow()
    return pauseMs
  }
  const reader = pacedReader(() => {
    const { signal } = resting
    return read().catch(() => {
      if (!signal.aborted) failed(navigator.onLine ? "The service does not answer" : OFFLINE)
      return 0
    })
  })

  const onState = (/** @type {boolean} */ isOpen) => {
    if (isOpen) {
      clearTimeout(renewalTimer)
      renewalTimer = undefined
      isFollowing = true
      say("")
    } else
      renewalTimer ??= setTimeout(() => {
        isFollowing = false
        say(`Reconnecting to the stream of changes. ${without}`)
      }, RENEWAL_MS)
  }
  const isOffered = stream !== undefined && feeds.length > 0
  const changes =
    !isOffered || !canShare()
      ? null
      : sharedStream({
          address: stream,
          feeds,
          browser: {
            locks: navigator.locks,
            openChannel: (name) => new BroadcastChannel(name),
            openSource: (address) => new EventSource(address),
            random: Math.random,
          },
          onState,
          onBegun: () => reader.ask(),
          onChanged: () => {
            reader.ask(GATHER_MS * (1 + Math.random()))
            clearTimeout(confirmTimer)
            confirmTimer = setTimeout(() => reader.ask(), CONFIRM_MS)
          },
        })

  const follow = () => {
    if (changes === null) {
      if (isOffered) say(`This browser does not share the stream of changes. ${without}`)
      return
    }
    isFollowing = true
    onState(false)
    changes.start()
  }
  const rest = () => {
    resting.abort()
    resting = new AbortController()
    changes?.stop()
    reader.forget()
    clearTimeout(confirmTimer)
    clearTimeout(renewalTimer)
    renewalTimer = undefined
  }
  /** When the reply is read without being asked for. */
  const dueAtMs = () => {
    const everyMs = isFollowing && failure === null ? refreshMs : ttlMs
    return everyMs === null ? Number.POSITIVE_INFINITY : readAtMs + everyMs
  }
  const isSeen = () => document.visibilityState === "visible"
  /** Begins where the page is seen, at first or anew: what changed meanwhile is read first. */
  const begin = () => {
    rest()
    if (!isSeen()) return
    reader.ask()
    follow()
  }
  const tick = () => {
    showNow()
    const sleptMs = Date.now() - tickedAtMs
    tickedAtMs = Date.now()
    if (!isSeen()) return
    // The connection may be lost, and no one has said so.
    if (sleptMs > SLEPT_MS) return begin()
    const untilMs = nowMs() + PROMISE_LEAD_MS
    const ends = promises().some((promise) => promise > askedUntilMs && promise <= untilMs)
    if (ends || performance.now() >= dueAtMs()) reader.ask()
  }

  showNow()
  // What the service sent may be from its memory, and a stream that another tab holds brings nothing of before.
  if (isSeen()) begin()
  setInterval(tick, SECOND_MS)
  document.addEventListener("visibilitychange", begin)
  window.addEventListener("online", begin)
  window.addEventListener("offline", () => {
    rest()
    // The browser may be wrong: what can be read all the same is then read by the clock.
    isFollowing = false
    failed(OFFLINE)
  })
  return {
    /** Reads the reply now. */
    read: () => {
      showNow()
      reader.ask()
    },
    /** The next reply is written also where it is the one that was read last. */
    forget: () => {
      etag = ""
    },
  }
}
