// The reference server of Durable Streams, with one stream in memory: `node durable-serve.ts FILE-OF-PACKAGE`. Sends its port.

interface DurableStreams {
  readonly DurableStreamTestServer: new (options: {
    readonly port: number
    readonly host: string
  }) => { readonly start: () => Promise<string> }
}

const { DurableStreamTestServer } = (await import(process.argv[2] ?? "")) as DurableStreams
const server = new DurableStreamTestServer({ port: 0, host: "127.0.0.1" })
const url = await server.start()
process.send?.(Number(new URL(url).port))
process.once("disconnect", () => process.exit(0))
