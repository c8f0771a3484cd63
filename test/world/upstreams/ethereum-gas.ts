import { simulatedUpstream } from "../upstream.ts"
import ethereumRpc from "./ethereum-rpc.ts"

/** The same nodes: the sources ask for other methods. */
export default simulatedUpstream({ ...ethereumRpc, name: "ethereum-gas" })
