import { isTagged } from "../../schemas/directory.ts"

/** One figure of a run. With `ratioTo`, it is also reported as a ratio to the figure of that label. */
export interface Measure {
  readonly label: string
  readonly value: number
  readonly unit: string
  readonly ratioTo?: string
}

/** The bound of a figure, or of its ratio. */
export interface Budget {
  readonly label: string
  readonly of: "value" | "ratio"
  readonly atLeast?: number
  readonly atMost?: number
}

/** A benchmark: one file of `benchmarks/`, with the file's name. The directory is the registry. */
export interface Benchmark {
  readonly _tag: "Benchmark"
  readonly name: string
  readonly title: string
  readonly budget: ReadonlyArray<Budget>
  /** Where the time goes, by a profile with its date: for budgets that are not met. */
  readonly profile?: string
  /** Measures and cleans up. Contenders are compared within one run only. */
  readonly run: () => Promise<ReadonlyArray<Measure>>
}

/** Declares a benchmark. */
export const benchmark = (definition: Omit<Benchmark, "_tag">): Benchmark => ({ _tag: "Benchmark", ...definition })

export const isBenchmark = isTagged<Benchmark>("Benchmark")

/** The median; of an even count, the mean of the two middle numbers. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/**
 * Runs every contender once in each round, and gives the median of each, so that load of the machine affects all of them. The
 * order rotates, so that none always runs first.
 */
export const interleaved = async <Contenders extends Readonly<Record<string, (() => Promise<number>) | undefined>>>(
  rounds: number,
  contenders: Contenders,
): Promise<{ readonly [Label in keyof Contenders]: number }> => {
  const present = Object.entries(contenders).flatMap(([label, run]) =>
    run === undefined ? [] : [{ label, run, figures: [] as Array<number> }],
  )
  for (let round = 0; round < rounds; round++) {
    const turn = round % present.length
    for (const { run, figures } of [...present.slice(turn), ...present.slice(0, turn)]) figures.push(await run())
  }
  // Every present contender has a figure; the others are optional in the type too.
  return Object.fromEntries(present.map(({ label, figures }) => [label, median(figures)])) as {
    [Label in keyof Contenders]: number
  }
}

/** The rate of `work` a second with so many concurrent callers, over `durationMs`. */
export const ratePerSecond = async (callers: number, durationMs: number, work: () => Promise<unknown>) => {
  const begin = performance.now()
  let done = 0
  const caller = async () => {
    while (performance.now() - begin < durationMs) {
      await work()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (done * 1000) / (performance.now() - begin)
}

/**
 * The latencies of `work` at a fixed rate, in milliseconds and in no order. Each counts from the time at which it was due, so
 * that a late start is included.
 */
export const timesAtPace = async (
  perSecond: number,
  durationMs: number,
  work: () => Promise<unknown>,
): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  const begun = performance.now()
  const unfinished = new Set<Promise<void>>()
  const all = Math.floor((durationMs * perSecond) / 1000)
  for (let sent = 0; sent < all; ) {
    const due = Math.min(all, Math.floor(((performance.now() - begun) * perSecond) / 1000))
    for (; sent < due; sent++) {
      const dueMs = begun + (sent * 1000) / perSecond
      const one = work().then(() => {
        times.push(performance.now() - dueMs)
        unfinished.delete(one)
      })
      unfinished.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(unfinished)
  return times
}

/** A run at a fixed rate: calls come when they are due, whether or not those before them are answered. */
export interface OpenLoop {
  /** Latencies, each from the time at which its call was due, in milliseconds; those of dropped calls included. */
  readonly times: ReadonlyArray<number>
  /** Calls that failed. */
  readonly dropped: number
}

/** Runs `work` at a fixed rate, as `timesAtPace` does, and counts its failures. */
export const openLoop = async (
  perSecond: number,
  durationMs: number,
  work: () => Promise<unknown>,
): Promise<OpenLoop> => {
  let dropped = 0
  const times = await timesAtPace(perSecond, durationMs, () =>
    work().catch(() => {
      dropped += 1
    }),
  )
  return { times, dropped }
}

/** The measures of an open loop: calls, dropped calls, and percentiles of the latency. */
export const openLoopMeasures = (label: string, { times, dropped }: OpenLoop): ReadonlyArray<Measure> => [
  { label: `calls: ${label}`, value: times.length, unit: "" },
  { label: `dropped: ${label}`, value: dropped, unit: "" },
  ...([0.5, 0.99, 0.999] as const).map((share) => ({
    label: `p${String(share * 100).replace(".", "")}: ${label}`,
    value: percentile(times, share),
    unit: "ms",
  })),
]

/** The percentile: the number below which a share of the numbers lies. */
export const percentile = (numbers: ReadonlyArray<number>, share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** A measure with its ratio. */
export interface ReportedMeasure extends Measure {
  readonly ratio: number | undefined
}

/** Adds the ratios. */
export const withRatios = (measures: ReadonlyArray<Measure>): ReadonlyArray<ReportedMeasure> =>
  measures.map((measure) => {
    const base = measures.find(({ label }) => label === measure.ratioTo)
    return { ...measure, ratio: base === undefined ? undefined : measure.value / base.value }
  })

/** Describes a budget, and tests whether it is met. A missing figure meets no budget. */
export const verdict = (budget: Budget, measures: ReadonlyArray<ReportedMeasure>) => {
  const measure = measures.find(({ label }) => label === budget.label)
  const figure = budget.of === "ratio" ? measure?.ratio : measure?.value
  const unit = budget.of === "ratio" ? `x ${measure?.ratioTo ?? ""}` : (measure?.unit ?? "")
  const asked = [
    budget.atLeast === undefined ? [] : [`at least ${format(budget.atLeast)} ${unit}`],
    budget.atMost === undefined ? [] : [`at most ${format(budget.atMost)} ${unit}`],
  ].flat()
  const met =
    figure !== undefined &&
    figure >= (budget.atLeast ?? Number.NEGATIVE_INFINITY) &&
    figure <= (budget.atMost ?? Number.POSITIVE_INFINITY)
  return { text: `${budget.label}: ${asked.join(", ").trim()}`, met }
}

/** Formats a number: three significant digits, or whole above a hundred. */
export const format = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))
