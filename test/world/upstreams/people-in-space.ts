import { simulatedUpstream } from "../upstream.ts"
import { peopleInSpace } from "./open-notify.ts"

export default simulatedUpstream({
  name: "people-in-space",
  hosts: ["corquaid.github.io"],
  answer: ({ path }, world) => {
    if (path !== "/international-space-station-APIs/JSON/people-in-space.json") return null
    const crew = peopleInSpace(world)
    return {
      body: {
        // Corrected by hand, days later.
        number: crew.length - 1,
        iss_expedition: 74,
        people: crew.map(({ name, craft }, at) => ({
          id: at + 1,
          name,
          country: "Syldavia",
          flag_code: "sy",
          agency: "SSA",
          position: at === 0 ? "Commander" : "Flight Engineer",
          spacecraft: craft === "ISS" ? "Crew-12 Dragon" : "Shenzhou 22",
          launched: Math.floor(world.nowMs / 1000) - 5_000_000,
          iss: craft === "ISS",
          days_in_space: 0,
        })),
      },
    }
  },
})
