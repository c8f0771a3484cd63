import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"

// Replaces `Date` in this thread by the clock of the simulated world, which all threads of the process share. Each entry point
// imports it first, before any code that reads the time. Durations (`performance.now`) and timers stay those of the machine.

const SHARED = "the clock of the world"
const RealDate = Date
const realNowMs = RealDate.now

/**
 * One word, so that no thread reads half of a change: the lowest bit is 1 while the clock stands, and the rest is the instant
 * at which it stands, or by how much it is ahead of the machine's, in milliseconds.
 */
const words = new BigInt64Array(getEnvironmentData(SHARED) ?? new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
setEnvironmentData(SHARED, words.buffer)

/** The time of the machine, which other processes have too. */
export const machineNowMs = realNowMs

export const isFrozen = () => (Atomics.load(words, 0) & 1n) === 1n

/** Sets the clock for every thread: `ms` is the instant at which it stands, or by how much it is ahead. */
export const setClock = ({ frozen, ms }) => {
  Atomics.store(words, 0, (BigInt(ms) << 1n) | (frozen ? 1n : 0n))
}

const nowMs = () => {
  const word = Atomics.load(words, 0)
  const ms = Number(word >> 1n)
  return (word & 1n) === 1n ? ms : realNowMs() + ms
}

RealDate.now = nowMs
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(nowMs()).toString(),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [nowMs()] : given, newTarget),
})
RealDate.prototype.constructor = globalThis.Date
