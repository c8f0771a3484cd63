// Printed by `npm run clients` from the contract. Change the contract, or the printer.

/** An operation of the contract, as far as a call needs it. */
export interface Operation {
  /** Its name in the contract. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly path: string
  /** Credits of a call; 0 where it is free. */
  readonly credits: number
  /** Whether the token is sent. It is sent to no operation that does not take it. */
  readonly bearer: "none" | "optional" | "required"
  /** The media types that it is asked for. */
  readonly accept: string
}

/** The version of the contract. */
export declare const CONTRACT_VERSION: string

/** Where payments are made: nothing is paid elsewhere, whatever a quote says. */
export declare const PAYMENT: {
  readonly chainId: number
  readonly tokenContract: `0x${string}`
  readonly tokenDecimals: number
}

/** Every operation, by the name of its method. */
export declare const OPERATIONS: {
  readonly aiCatalog: Operation
  readonly apiCatalog: Operation
  readonly jwks: Operation
  readonly mcpWellKnownCard: Operation
  readonly securityTxt: Operation
  readonly catalog: Operation
  readonly aiStackCves: Operation
  readonly aiStats: Operation
  readonly airQuality: Operation
  readonly briefing: Operation
  readonly btcPrice: Operation
  readonly chainNetwork: Operation
  readonly chessTv: Operation
  readonly climateEarthquakes: Operation
  readonly climateWeatherAlerts: Operation
  readonly codeHostTrending: Operation
  readonly cryptoMovers: Operation
  readonly cyberThreats: Operation
  readonly disasterAlerts: Operation
  readonly earthquake: Operation
  readonly economicData: Operation
  readonly eventMarket: Operation
  readonly exposureScan: Operation
  readonly faaStatus: Operation
  readonly fearGreed: Operation
  readonly feedReliability: Operation
  readonly forex: Operation
  readonly fundingRates: Operation
  readonly gamePlatformTop: Operation
  readonly harnesses: Operation
  readonly health: Operation
  readonly humansInSpace: Operation
  readonly internetPulse: Operation
  readonly launches: Operation
  readonly llmTools: Operation
  readonly mcp: Operation
  readonly mcpAll: Operation
  readonly mcpServerCard: Operation
  readonly metaPro: Operation
  readonly modelHubTrending: Operation
  readonly paymentBalance: Operation
  readonly paymentBuyCredits: Operation
  readonly paymentConfirm: Operation
  readonly paymentHistory: Operation
  readonly paymentInfo: Operation
  readonly paymentRevoke: Operation
  readonly predictions: Operation
  readonly proAgentContext: Operation
  readonly proBriefing: Operation
  readonly proCodeHostVelocity: Operation
  readonly proCorrelationMatrix: Operation
  readonly proCryptoDeep: Operation
  readonly proExchangeFlows: Operation
  readonly proFeedReliability: Operation
  readonly proFeedReliabilityHistory: Operation
  readonly proMacro: Operation
  readonly proSentiment: Operation
  readonly proWhales: Operation
  readonly proWorldDeltas: Operation
  readonly reactors: Operation
  readonly receiptVerify: Operation
  readonly serviceStatus: Operation
  readonly severeWeather: Operation
  readonly spaceWeather: Operation
  readonly stocks: Operation
  readonly techNews: Operation
  readonly tradeHalts: Operation
  readonly tsunami: Operation
  readonly volcanoes: Operation
  readonly weather: Operation
  readonly wildfires: Operation
  readonly dcat: Operation
  readonly changelog: Operation
  readonly changelogJson: Operation
  readonly changelogMarkdown: Operation
  readonly agentPayments: Operation
  readonly agentPaymentsMarkdown: Operation
  readonly icon: Operation
  readonly llmsFull: Operation
  readonly llms: Operation
  readonly openapi: Operation
  readonly robots: Operation
  readonly status: Operation
  readonly world: Operation
}
