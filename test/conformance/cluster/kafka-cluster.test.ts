import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach } from "vitest"
import { describeUnless } from "../../support/describe-unless.ts"
import { ledgerConformance } from "../ledger/suite.ts"
import { rounds } from "../log/harness.ts"
import { eventLogConformance } from "../log/suite.ts"
import { changesUnderFaults } from "./changes-under-faults.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"
import { commitsUnderFaults } from "./commits-under-faults.ts"
import { clusterFaults, leaderKilled, leadersMoved } from "./faults.ts"
import { premiumUnderFaults } from "./premium-under-faults.ts"

const ROUNDS = rounds(1)
const COMMITS = 2_000 * ROUNDS
const PAUSE_MS = ROUNDS > 1 ? 60_000 : 8_000
const FAULTS_MAX_MS = 600_000 + ROUNDS * 120_000

const under = await clusterUnderTest()
const { missing, makeHarness } = under

// One cluster for all of its tests, as its start takes longer than most of them.

describeUnless(missing, "three brokers with spread leaders", () => {
  afterEach(() => under.cluster().heal())

  it.live(
    `under every fault, repeats, loses and tears none of ${COMMITS} commits over several topics`,
    () =>
      Effect.gen(function* () {
        const report = (line: string) => process.stdout.write(`${line}\n`)
        const { offences, digests, ...counts } = yield* commitsUnderFaults(under, {
          commits: COMMITS,
          writers: ["ingest", "processor"],
          faults: clusterFaults,
          pauseMs: PAUSE_MS,
          report,
        })
        report(JSON.stringify({ ...counts, ...offences }))
        expect(offences).toEqual({ repeated: 0, lost: 0, torn: 0, unexpected: 0, misplaced: 0 })
        expect(digests.read).toEqual(digests.faultless)
        expect(digests.followed).toEqual(digests.faultless)
      }),
    FAULTS_MAX_MS,
  )

  it.live(
    "charges each acknowledged premium call once while the leader of the ledger is killed and leaders move",
    () =>
      Effect.gen(function* () {
        const faults = [leaderKilled("ledger"), leadersMoved]
        const { charged } = yield* premiumUnderFaults(under, {
          faults: Array.from({ length: ROUNDS }, () => faults).flat(),
          pauseMs: PAUSE_MS,
        })
        expect(charged).toBeGreaterThan(0)
      }),
    FAULTS_MAX_MS,
  )

  it.live(
    "brings each change once, in order, through every door while the leader of the changes is killed",
    () =>
      Effect.gen(function* () {
        const faults = [leaderKilled("deltas"), ...(ROUNDS > 1 ? clusterFaults : [])]
        const changes = yield* changesUnderFaults(under, { faults, pauseMs: PAUSE_MS })
        process.stdout.write(`${changes} changes were read\n`)
        expect(changes).toBeGreaterThan(faults.length * 200)
      }),
    FAULTS_MAX_MS,
  )
})

eventLogConformance("Kafka, three brokers", makeHarness("observations"), { missing, modelRuns: rounds(2) })
ledgerConformance("Kafka, three brokers", makeHarness("ledger"), { missing })
