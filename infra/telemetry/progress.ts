import cliProgress from "cli-progress"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Progress } from "../../schemas/ports/progress.ts"

/** How often a line is written if the output is no terminal. */
const LINE_EVERY_MS = 10_000
const BAR_EVERY_MS = 100

const count = (value: number): string => Math.floor(value).toLocaleString("en-US")
/** Rates below ten get two significant digits. */
const rateOf = (value: number): string => (value >= 10 ? count(value) : value.toPrecision(2))

/** A duration for people. */
const durationOf = (seconds: number): string => {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}

/** The progress of a stage at one moment. */
export interface StageFacts {
  readonly stage: string
  readonly done: number
  readonly total: number | null
  readonly unit: string
  readonly elapsedMs: number
}

/** Describes a stage in one line: amount, total, rate and remaining time. */
export const describeStage = ({ stage, done, total, unit, elapsedMs }: StageFacts): string => {
  const perSecond = elapsedMs > 0 ? (done * 1_000) / elapsedMs : 0
  const rate = `${rateOf(perSecond)} ${unit}/s`
  if (total === null || total <= 0) return `${stage}: ${count(done)} ${unit}, ${rate}`
  const share = Math.min(1, done / total)
  const left = perSecond > 0 ? `, ${durationOf(Math.max(0, total - done) / perSecond)} left` : ""
  return `${stage}: ${Math.floor(share * 100)} % (${count(Math.min(done, total))} of ${count(total)} ${unit}), ${rate}${left}`
}

/**
 * Shows progress on standard error for the scope: a bar on a terminal, else a line every ten seconds, so that short commands
 * print none.
 */
export const openProgress = (
  output: NodeJS.WriteStream = process.stderr,
  lineEveryMs = LINE_EVERY_MS,
): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        let end = () => {}
        const begin: Progress["begin"] = (stage, total, unit) => {
          end()
          const begunAt = performance.now()
          let done = 0
          const line = () => describeStage({ stage, done, total, unit, elapsedMs: performance.now() - begunAt })
          const bar = output.isTTY ? barOn(output, line) : null
          bar?.start(total ?? 0, 0)
          const timer = bar === null ? setInterval(() => output.write(`${line()}\n`), lineEveryMs).unref() : undefined
          end = () => {
            clearInterval(timer)
            bar?.stop()
          }
          return {
            advance: (amount) => {
              done += amount
              bar?.update(done)
            },
          }
        }
        return { begin, end: () => end() }
      }),
      ({ end }) => Effect.sync(end),
    ),
    ({ begin }) => ({ begin }),
  )

const barOn = (output: NodeJS.WriteStream, line: () => string) =>
  new cliProgress.SingleBar({
    stream: output,
    clearOnComplete: true,
    // The command handles signals itself.
    gracefulExit: false,
    fps: 1_000 / BAR_EVERY_MS,
    barsize: 24,
    format: (options, { progress, total }) => {
      const full = Math.round((options.barsize ?? 0) * (total > 0 ? Math.min(1, progress) : 0))
      const drawn = "#".repeat(full).padEnd(options.barsize ?? 0, "-")
      return total > 0 ? `[${drawn}] ${line()}` : line()
    },
  })
