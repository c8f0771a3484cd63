import { afterAll, beforeAll, expect, it } from "vitest"
import { loadProcessors, views } from "../../processors/registry.ts"
import type { Change } from "../../schemas/change.ts"
import { statedChanges } from "../../schemas/contract/changes.ts"
import { endpoints } from "../../schemas/registry.ts"
import { runCommand } from "../support/command.ts"
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { type RolesApart, startRolesApart } from "../support/roles-apart.ts"
import { asOf, JUDGED, readiness } from "../support/service.ts"
import { allEndpointsBut, onDemandPath, slowFeed, someFeed } from "../support/some-feed.ts"
import { type Followers, loggedChanges, startFollowers } from "./changes-followers.ts"

const replicas = ["api-1", "api-2"] as const
const COMPOSED = "/api/briefing"
/** The feeds that the composed view reads, and the endpoints that state their changes. */
const composedOf = new Set(
  views.flatMap(({ endpoint, reads }) =>
    endpoint.path === COMPOSED ? Object.values(reads).map(({ feed }) => feed.name) : [],
  ),
)
const stating = endpoints.filter((one) => statedChanges(one).some(({ feed }) => composedOf.has(feed)))
/** What every role offers: a composed view over feeds of all kinds, single ones, and one on demand. */
const OFFERED = [
  ...new Set([JUDGED, COMPOSED, ...stating.map(({ path }) => path), someFeed.path, slowFeed.path, onDemandPath()]),
]
/** An endpoint that no role offers, and the host that its feed alone is polled from. */
const OFF = { path: "/api/reactors", host: "www.nrc.gov" }
/** After so many bytes the connections of readers of changes are cut, one after the other. */
const CUT_BYTES = [400_009, 70_001, 1_000_003, 29_989]
/** The credit of a provider is not in the log. */
const withoutSource = ({ source: _, ...change }: Change) => change

describeUnless(await dockerMissing(), "the service with its roles apart, on Kafka and ClickHouse", () => {
  let apart: RolesApart
  let balancer: CuttingProxy
  let followers: Followers

  /** The changes from the start on, as a replica's pages hold them. */
  const byPages = async (name: string): Promise<ReadonlyArray<Change>> => {
    const changes: Array<Change> = []
    for (let after = "start"; ; ) {
      const read = () => apart.named(name).json(`/api/changes?after=${after}&limit=1000`)
      const page = (await eventually(`${name} gives the changes behind ${after}`, read)) as unknown as {
        readonly changes: ReadonlyArray<Change>
        readonly next: string
        readonly up_to_date: boolean
      }
      changes.push(...page.changes)
      if (page.up_to_date) return changes
      after = page.next
    }
  }

  /** Every reader has got what there is now. */
  const followersGoOn = async () => {
    const { length } = await byPages("api-1")
    for (const { name, changes, ended } of followers.all)
      await Promise.race([
        ended,
        eventually(`${name} has ${length} changes`, () => {
          if (changes.length < length) throw new Error(`it has ${changes.length}`)
          return true
        }),
      ])
  }

  /** Both replicas serve something newer than what they serve now. */
  const goesOn = async () => {
    for (const name of replicas) {
      const replica = apart.named(name)
      const before = await eventually(`${name} serves data`, () => asOf(replica))
      await eventually(`${name} serves newer data`, async () => (await asOf(replica)) > before)
    }
    await followersGoOn()
  }

  beforeAll(async () => {
    apart = await startRolesApart({
      seed: "apart",
      pollSeconds: 4,
      addressed: ["ingest-1", "ingest-2"],
      settings: ({ addresses }) => ({ DEMAND_URLS: addresses, ENDPOINTS_OFF: allEndpointsBut(OFFERED) }),
    })
    await apart.start("ingest-1", "ingest")
    await apart.start("process-1", "process", { PROCESSORS: "latest" })
    await apart.ready("ingest-1", "process-1")
    await apart.start("ingest-2", "ingest")
    await apart.start("process-2", "process")
    await Promise.all(replicas.map((name) => apart.start(name, "api")))
    await apart.ready("ingest-2", "process-2", ...replicas)
    const targets = () => replicas.map((name) => Number(new URL(apart.named(name).url).port))
    balancer = await startCuttingProxy({ targets, cutBytes: CUT_BYTES })
    followers = startFollowers(balancer.url)
  })

  afterAll(async () => {
    await followers?.close()
    await balancer?.close()
    await apart?.close()
  })

  it("serves the same from every replica, and fetches on demand through the active ingest", async () => {
    await eventually("both replicas serve the same bytes", async () => {
      const [one, two] = await Promise.all(
        replicas.map(async (name) => (await apart.named(name).get(slowFeed.path)).headers.get("etag")),
      )
      return one !== null && one === two
    })
    for (const name of replicas)
      await eventually(`${name} has what was fetched on demand`, async () => {
        const { data } = await apart.named(name).json(onDemandPath())
        return data !== null
      })
  })

  it("offers from no replica what is off, and polls nothing for it", async () => {
    for (const name of replicas) {
      // The first verdict follows the first poll of every feed that is declared.
      await eventually(`${name} has judged every feed`, async () => {
        const { data } = await apart.named(name).json(JUDGED)
        return data !== null
      })
      const response = await apart.named(name).get(OFF.path)
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: "not_offered" })])
    }
    expect(OFFERED).not.toContain(OFF.path)
    expect(apart.requests.size).toBeGreaterThan(5)
    expect(apart.requests.get(OFF.host)).toBeUndefined()
  })

  it("is ready as a standby, and where some parts of a process are active and the others stand by", async () => {
    const states = async (name: string) =>
      Object.fromEntries((await readiness(apart.named(name))).parts.map(({ part, state }) => [part, state]))
    // On a busy machine a session at the broker may end, and the other one takes over.
    await eventually("one ingest polls, and the other one stands by", async () => {
      const ingests = await Promise.all(["ingest-1", "ingest-2"].map(states))
      expect(ingests.map(({ polling }) => polling).toSorted()).toEqual(["active", "standby"])
      return true
    })
    await eventually("the first process has its one part", async () => {
      expect(await states("process-1")).toEqual({ latest: "active" })
      return true
    })
    const rest = (await loadProcessors()).filter(({ name }) => name !== "latest")
    const active = Object.fromEntries([...rest.map(({ name }) => name), "history"].map((part) => [part, "active"]))
    await eventually("the other process has the rest", async () => {
      expect(await states("process-2")).toEqual({ latest: "standby", ...active })
      return true
    })
    const metrics = await (await fetch(`${apart.named("process-2").adminUrl}/metrics`)).text()
    expect(metrics).toMatch(/^tidewire_role_state\{(?=.*part="latest")(?=.*state="standby").*\} 1$/m)
    expect(metrics).toMatch(/^tidewire_role_state\{(?=.*part="latest")(?=.*state="active").*\} 0$/m)
  })

  it("goes on when the active ingest is killed, and the standby is the active one then", async () => {
    await apart.takeOver("ingest-1", "ingest-2")
    await goesOn()
  })

  it("goes on when a process that folds is killed, and an api replica that is started again", async () => {
    await apart.named("api-1").end("SIGKILL")
    await Promise.all([apart.start("api-1", "api"), apart.takeOver("process-1", "process-2")])
    await apart.ready("api-1")
    await goesOn()
  })

  it("goes on when the broker is killed and comes back, and free replies never fail meanwhile", async () => {
    await apart.broker.kill()
    for (const name of replicas) expect((await apart.named(name).get(someFeed.path)).status).toBe(200)
    await apart.broker.start()
    await goesOn()
  })

  it("goes on when ClickHouse is killed and comes back, and the history catches up", async () => {
    const { url, username, password, restart } = apart.clickhouse
    await restart()
    await goesOn()
    const count = async () => {
      const response = await fetch(`${url}/?user=${username}&password=${password}`, {
        method: "POST",
        body: "SELECT count() FROM tidewire.events",
      })
      if (!response.ok) throw new Error(await response.text())
      return Number(await response.text())
    }
    const before = await count()
    await eventually("the history grows", async () => (await count()) > before)
  })

  it("goes on when views and tables are rebuilt, and the other api replica is killed meanwhile", async () => {
    const before = await byPages("api-1")
    await Promise.all([apart.named("process-2").end("SIGTERM"), apart.named("api-2").end("SIGKILL")])
    const [{ stdout, stderr }] = await Promise.all([
      runCommand(apart.environment, "rebuild"),
      apart.start("api-2", "api"),
    ])
    expect(stdout + stderr).toMatch(/latest: generation 2 of [1-9]\d* events is live/)
    await apart.start("process-1", "process")
    await apart.ready("process-1", "api-2")
    const after = await eventually("there are further changes", async () => {
      const changes = await byPages("api-1")
      return changes.length > before.length ? changes : undefined
    })
    expect(after.slice(0, before.length)).toEqual(before)
    await followersGoOn()
  })

  it("has brought every logged change through every door, once and in order", async () => {
    await Promise.all(["ingest-2", "process-1"].map((name) => apart.named(name).end("SIGTERM")))
    const offered = new Set(OFFERED.map((path) => path.split("?")[0]))
    const { ordinals, stated } = await loggedChanges(
      apart.environment,
      views.filter(({ endpoint }) => offered.has(endpoint.path)),
    )
    expect(ordinals).toEqual(ordinals.map((_, index) => index + 1))
    expect(stated.length).toBeGreaterThan(100)
    const [expected = [], other] = await Promise.all(
      replicas.map((name) =>
        eventually(`${name} has the last change`, async () => {
          const changes = await byPages(name)
          return changes.at(-1)?.cursor === stated.at(-1)?.cursor && changes
        }),
      ),
    )
    expect(other).toEqual(expected)
    expect(expected.map(withoutSource)).toEqual(stated.map(withoutSource))
    await followersGoOn()
    await followers.close()
    for (const { name, changes } of followers.all) expect(changes, name).toEqual(expected)
    expect(balancer.connections()).toBeGreaterThan(followers.all.length + replicas.length)
  })

  it("has lost nothing and doubled nothing: views and tables equal a fold of the whole log", async () => {
    await apart.endAll("SIGTERM")
    const { stdout, stderr } = await runCommand(apart.environment, "rebuild", "--verify")
    const output = stdout + stderr
    expect(output, output).toContain("the live views equal a fold of the whole log")
    expect(output, output).not.toContain("DIFFERENT")
    expect(output, output).toMatch(/table events\/observations: [1-9]\d* rows, equal/)
  })
})
