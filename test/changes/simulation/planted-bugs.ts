/** A mistake in the reading side that the simulation must find: a text of a file, and what stands in its place. */
export interface PlantedBug {
  readonly name: string
  /** Relative to the repository. */
  readonly file: string
  /** Stands in the file once. */
  readonly text: string
  readonly instead: string
}

export const plantedBugs: ReadonlyArray<PlantedBug> = [
  {
    name: "the window holds one change less than it says, after it has dropped some",
    file: "api/changes/window.ts",
    text: "this.#after = dropped.ordinal",
    instead: "this.#after = dropped.ordinal - 1",
  },
  {
    name: "the window reaches one change further than the log",
    file: "api/changes/window.ts",
    text: "this.#reached = Math.max(this.#reached, reached)",
    instead: "this.#reached = Math.max(this.#reached, reached + 1)",
  },
  {
    name: "a heartbeat says where the window is, and not where the stream is",
    file: "api/changes/streams.ts",
    text: "#beat({ connection, cursor }: ChangeStream): void {",
    instead: "#beat({ connection }: ChangeStream): void {\n    const cursor = this.#options.window.reached",
  },
  {
    name: "now and then a wake-up is lost, which only the last change shows",
    file: "api/changes/streams.ts",
    text: "else this.#schedulePass()",
    instead: "else if (options.window.reached % 5 !== 0) this.#schedulePass()",
  },
  {
    name: "a waiting call looks one change too far",
    file: "api/changes/waiting-calls.ts",
    text: "waiter.after = Math.max(waiter.after, window.reached)",
    instead: "waiter.after = Math.max(waiter.after, window.reached + 1)",
  },
  {
    name: "what a slow reader could not take is not sent again",
    file: "api/changes/streams.ts",
    text: 'stream.state = "blocked"\n',
    instead: 'stream.state = "blocked"\n        stream.cursor = reached\n',
  },
  {
    name: "a gap is passed over silently",
    file: "api/changes/streams.ts",
    text: "stream.connection.write(gapOf(",
    instead: "void (gapOf(",
  },
  {
    name: "streams of different filters share a batch",
    file: "api/changes/batches.ts",
    text: "{cursor} $" + "{filter.key}`",
    instead: "{cursor}`",
  },
  {
    name: "a page repeats a change where log and window meet",
    file: "api/changes/page.ts",
    text: "page.add(window.behind(page.next), window.reached)",
    instead: "page.add(window.behind(page.next - 1), window.reached)",
  },
  {
    name: "the cursor of a full page is that of its last look",
    file: "api/changes/page.ts",
    text: "this.next = change.ordinal\n",
    instead: "this.next = until\n",
  },
  {
    name: "the start is at the oldest change, and not before it",
    file: "api/changes/place.ts",
    text: "bounds.oldest - 1)",
    instead: "bounds.oldest)",
  },
  {
    name: "the follower joins portions between which changes are missing",
    file: "api/changes/follower.ts",
    text: "portion.log !== window.log || portion.after !== window.reached",
    instead: "portion.log !== window.log",
  },
  {
    name: "a log that was trimmed while it was read is read on",
    file: "processors/changes/change-log.ts",
    text: "isCut = record.cursor.ordinal !== after + found.length + 1",
    instead: "isCut = false",
  },
  {
    name: "where the log begins, the changes begin",
    file: "processors/changes/change-log.ts",
    text: "if (logged !== null) return portionOf(name, after, logged)",
    instead: "return portionOf(name, after, logged ?? [])",
  },
  {
    name: "numbers of a log with another name are compared with those of the one before",
    file: "processors/changes/change-log.ts",
    text: "if (newest.cursor.log !== name) reached = 0\n",
    instead: "",
  },
  {
    name: "reading begins at the change behind the next one",
    file: "processors/changes/change-log.ts",
    text: "index.seek(name, after + 1)",
    instead: "index.seek(name, after + 2)",
  },
  {
    name: "a log that has lost its tail goes on under its name",
    file: "processors/run/last-change.ts",
    text: "if (logged === null || known.ordinal === 0) return known",
    instead: "if (known !== null) return known",
  },
  {
    name: "a rebuild counts anew",
    file: "processors/run/rebuild.ts",
    text: "lastChange: live?.lastChange ?? null",
    instead: "lastChange: live?.lastChange == null ? null : { ...live.lastChange, ordinal: refolded.count }",
  },
  {
    name: "a change that is committed twice has two numbers",
    file: "processors/run/folding.ts",
    text: "ordinal: lastChange.ordinal + 1 }",
    instead: "ordinal: lastChange.ordinal + (lastChange.ordinal % 50 === 49 ? 2 : 1) }",
  },
]
