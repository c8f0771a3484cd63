// One stream of changes for all tabs of a browser. A lock chooses the tab that holds the connection, among those that a
// reader sees; a channel hands what came to the others. No tab has a cursor: a stream begins at the present, and whenever
// one begins, each tab reads what it shows once. So a browser that slept for hours does not catch up change by change.

/** The name of the lock and of the channel. */
const NAME = "tidewire-changes"
/** The next connection follows after half to the whole of this, doubled with each failure in a row. */
const RETRY_MS = 2_000
const RETRY_MAX_MS = 60_000
/** A connection that lived as long as this was none that failed. */
const STEADY_MS = 60_000
/** A connection that is neither accepted nor refused is given up. */
const OPENING_MAX_MS = 30_000
/** The service sends something every 15 seconds: a connection that is silent for longer than this was lost without a word. */
const SILENCE_MAX_MS = 45_000
/** Feeds that an address may name; where more are wanted, those of all come. */
export const FEEDS_MAX = 50

/**
 * @typedef {{ type: "leads" } | { type: "wants", feeds: ReadonlyArray<string> } | { type: "state", isOpen: boolean }
 *   | { type: "begun" } | { type: "changed", feed: string }} Message What tabs send each other.
 */

/** @typedef {Pick<EventSource, "addEventListener" | "close">} Source */

/**
 * @typedef {object} Browser What the stream needs of the browser.
 * @property {Pick<LockManager, "request">} locks
 * @property {(name: string) => BroadcastChannel} openChannel
 * @property {(url: string) => Source} openSource
 * @property {() => number} random From 0 to 1.
 */

/**
 * Holds a connection, and opens it anew when it ends. `wanted` may grow: `restart` then follows its feeds too.
 * @param {string} address
 * @param {ReadonlySet<string>} wanted
 * @param {Browser} browser
 * @param {(message: Message) => void} tell
 */
const holdConnection = (address, wanted, { openSource, random }, tell) => {
  /** @type {Source | null} */
  let source = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let failures = 0
  let isOpen = false
  let openedAtMs = 0

  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = null
    isOpen = false
  }
  const hears = () => {
    clearTimeout(timer)
    timer = setTimeout(again, SILENCE_MAX_MS)
  }
  const open = () => {
    tell({ type: "state", isOpen })
    source = openSource(wanted.size > FEEDS_MAX ? address : `${address}?feeds=${[...wanted].sort().join(",")}`)
    source.addEventListener("open", () => {
      hears()
      isOpen = true
      openedAtMs = performance.now()
      tell({ type: "begun" })
    })
    source.addEventListener("heartbeat", hears)
    source.addEventListener("change", (event) => {
      hears()
      tell({ type: "changed", feed: JSON.parse(/** @type {MessageEvent<string>} */ (event).data).feed })
    })
    // Not left to the browser, which would ask for all that was missed, and gives up where the service refuses.
    source.addEventListener("error", again)
    timer = setTimeout(again, OPENING_MAX_MS)
  }
  const again = () => {
    failures = isOpen && performance.now() - openedAtMs >= STEADY_MS ? 0 : failures + 1
    close()
    tell({ type: "state", isOpen })
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.max(0, failures - 1))
    timer = setTimeout(open, (waitMs * (1 + random())) / 2)
  }
  open()
  return {
    close,
    restart: () => {
      close()
      open()
    },
    isOpen: () => isOpen,
  }
}

/**
 * Follows the changes of some feeds while the tab is seen, that is from `start` to `stop`. The connection is that of this
 * tab, or of another one that is seen as well; it passes on when its tab is hidden or closed.
 * @param {object} options
 * @param {string} options.address
 * @param {ReadonlyArray<string>} options.feeds
 * @param {Browser} options.browser
 * @param {(isOpen: boolean) => void} options.onState
 * @param {() => void} options.onBegun A stream has begun: what changed before is not on it.
 * @param {(feed: string) => void} options.onChanged
 */
export const sharedStream = ({ address, feeds, browser, onState, onBegun, onChanged }) => {
  const start = () => {
    const ended = new AbortController()
    const channel = browser.openChannel(NAME)
    /** @type {Set<string>} */
    const wanted = new Set(feeds)
    /** @type {ReturnType<typeof holdConnection> | null} The connection, while this tab holds it. */
    let held = null

    const post = (/** @type {Message} */ message) => channel.postMessage(message)
    const receive = (/** @type {Message} */ message) => {
      if (message.type === "leads") post({ type: "wants", feeds })
      else if (message.type === "state") onState(message.isOpen)
      else if (message.type === "changed") {
        if (feeds.includes(message.feed)) onChanged(message.feed)
      } else if (message.type === "begun") {
        onState(true)
        onBegun()
      } else if (held !== null) {
        const before = wanted.size
        for (const feed of message.feeds) wanted.add(feed)
        if (wanted.size > before) held.restart()
        else post({ type: "state", isOpen: held.isOpen() })
      }
    }
    channel.addEventListener("message", ({ data }) => receive(data))

    /** Holds the lock and the connection until the tab is hidden. */
    const lead = () =>
      new Promise((resolve) => {
        if (ended.signal.aborted) return resolve(undefined)
        const connection = holdConnection(address, wanted, browser, (message) => {
          post(message)
          receive(message)
        })
        held = connection
        post({ type: "leads" })
        ended.signal.addEventListener("abort", () => {
          connection.close()
          resolve(undefined)
        })
      })
    // A request that is withdrawn rejects. So does one where the browser allows no lock: then no stream begins.
    browser.locks.request(NAME, { signal: ended.signal }, lead).catch(() => {})
    post({ type: "wants", feeds })

    return () => {
      ended.abort()
      channel.close()
    }
  }
  /** @type {(() => void) | null} */
  let end = null
  return {
    start: () => {
      end ??= start()
    },
    stop: () => {
      end?.()
      end = null
    },
  }
}
