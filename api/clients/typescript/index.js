// Printed by `npm run clients` from the contract. Change the contract, or the printer.
import { Client } from "./lib/client.js"
import { OPERATIONS } from "./operations.js"

export * from "./lib/buying.js"
export * from "./lib/claim.js"
export * from "./lib/client.js"
export * from "./lib/errors.js"
export * from "./lib/options.js"
export * from "./lib/receipt.js"
export { CONTRACT_VERSION, OPERATIONS, PAYMENT } from "./operations.js"

/** A client of the service, with a method for each operation. */
export class Tidewire extends Client {
  aiCatalog(options) {
    return this.call(OPERATIONS.aiCatalog, {}, options)
  }

  apiCatalog(options) {
    return this.call(OPERATIONS.apiCatalog, {}, options)
  }

  jwks(options) {
    return this.call(OPERATIONS.jwks, {}, options)
  }

  mcpWellKnownCard(options) {
    return this.call(OPERATIONS.mcpWellKnownCard, {}, options)
  }

  securityTxt(options) {
    return this.call(OPERATIONS.securityTxt, {}, options)
  }

  catalog(options) {
    return this.call(OPERATIONS.catalog, {}, options)
  }

  aiStackCves(parameters, options) {
    return this.call(OPERATIONS.aiStackCves, { parameters }, options)
  }

  aiStats(parameters, options) {
    return this.call(OPERATIONS.aiStats, { parameters }, options)
  }

  airQuality(parameters, options) {
    return this.call(OPERATIONS.airQuality, { parameters }, options)
  }

  briefing(options) {
    return this.call(OPERATIONS.briefing, {}, options)
  }

  btcPrice(options) {
    return this.call(OPERATIONS.btcPrice, {}, options)
  }

  chainNetwork(options) {
    return this.call(OPERATIONS.chainNetwork, {}, options)
  }

  chessTv(parameters, options) {
    return this.call(OPERATIONS.chessTv, { parameters }, options)
  }

  climateEarthquakes(parameters, options) {
    return this.call(OPERATIONS.climateEarthquakes, { parameters }, options)
  }

  climateWeatherAlerts(parameters, options) {
    return this.call(OPERATIONS.climateWeatherAlerts, { parameters }, options)
  }

  codeHostTrending(parameters, options) {
    return this.call(OPERATIONS.codeHostTrending, { parameters }, options)
  }

  cryptoMovers(parameters, options) {
    return this.call(OPERATIONS.cryptoMovers, { parameters }, options)
  }

  cyberThreats(parameters, options) {
    return this.call(OPERATIONS.cyberThreats, { parameters }, options)
  }

  disasterAlerts(parameters, options) {
    return this.call(OPERATIONS.disasterAlerts, { parameters }, options)
  }

  earthquake(parameters, options) {
    return this.call(OPERATIONS.earthquake, { parameters }, options)
  }

  economicData(options) {
    return this.call(OPERATIONS.economicData, {}, options)
  }

  eventMarket(parameters, options) {
    return this.call(OPERATIONS.eventMarket, { parameters }, options)
  }

  exposureScan(parameters, options) {
    return this.call(OPERATIONS.exposureScan, { parameters }, options)
  }

  faaStatus(parameters, options) {
    return this.call(OPERATIONS.faaStatus, { parameters }, options)
  }

  fearGreed(options) {
    return this.call(OPERATIONS.fearGreed, {}, options)
  }

  feedReliability(parameters, options) {
    return this.call(OPERATIONS.feedReliability, { parameters }, options)
  }

  forex(options) {
    return this.call(OPERATIONS.forex, {}, options)
  }

  fundingRates(parameters, options) {
    return this.call(OPERATIONS.fundingRates, { parameters }, options)
  }

  gamePlatformTop(parameters, options) {
    return this.call(OPERATIONS.gamePlatformTop, { parameters }, options)
  }

  harnesses(parameters, options) {
    return this.call(OPERATIONS.harnesses, { parameters }, options)
  }

  health(options) {
    return this.call(OPERATIONS.health, {}, options)
  }

  humansInSpace(parameters, options) {
    return this.call(OPERATIONS.humansInSpace, { parameters }, options)
  }

  internetPulse(parameters, options) {
    return this.call(OPERATIONS.internetPulse, { parameters }, options)
  }

  launches(parameters, options) {
    return this.call(OPERATIONS.launches, { parameters }, options)
  }

  llmTools(parameters, options) {
    return this.call(OPERATIONS.llmTools, { parameters }, options)
  }

  mcp(body, options) {
    return this.call(OPERATIONS.mcp, { body }, options)
  }

  mcpAll(body, options) {
    return this.call(OPERATIONS.mcpAll, { body }, options)
  }

  mcpServerCard(options) {
    return this.call(OPERATIONS.mcpServerCard, {}, options)
  }

  metaPro(options) {
    return this.call(OPERATIONS.metaPro, {}, options)
  }

  modelHubTrending(parameters, options) {
    return this.call(OPERATIONS.modelHubTrending, { parameters }, options)
  }

  paymentBalance(options) {
    return this.call(OPERATIONS.paymentBalance, {}, options)
  }

  paymentBuyCredits(body, options) {
    return this.call(OPERATIONS.paymentBuyCredits, { body }, options)
  }

  paymentConfirm(body, options) {
    return this.call(OPERATIONS.paymentConfirm, { body }, options)
  }

  paymentHistory(options) {
    return this.call(OPERATIONS.paymentHistory, {}, options)
  }

  paymentInfo(options) {
    return this.call(OPERATIONS.paymentInfo, {}, options)
  }

  paymentRevoke(body, options) {
    return this.call(OPERATIONS.paymentRevoke, { body }, options)
  }

  predictions(parameters, options) {
    return this.call(OPERATIONS.predictions, { parameters }, options)
  }

  proAgentContext(options) {
    return this.call(OPERATIONS.proAgentContext, {}, options)
  }

  proBriefing(parameters, options) {
    return this.call(OPERATIONS.proBriefing, { parameters }, options)
  }

  proCodeHostVelocity(options) {
    return this.call(OPERATIONS.proCodeHostVelocity, {}, options)
  }

  proCorrelationMatrix(options) {
    return this.call(OPERATIONS.proCorrelationMatrix, {}, options)
  }

  proCryptoDeep(parameters, options) {
    return this.call(OPERATIONS.proCryptoDeep, { parameters }, options)
  }

  proExchangeFlows(options) {
    return this.call(OPERATIONS.proExchangeFlows, {}, options)
  }

  proFeedReliability(options) {
    return this.call(OPERATIONS.proFeedReliability, {}, options)
  }

  proFeedReliabilityHistory(parameters, options) {
    return this.call(OPERATIONS.proFeedReliabilityHistory, { parameters }, options)
  }

  proMacro(parameters, options) {
    return this.call(OPERATIONS.proMacro, { parameters }, options)
  }

  proSentiment(options) {
    return this.call(OPERATIONS.proSentiment, {}, options)
  }

  proWhales(options) {
    return this.call(OPERATIONS.proWhales, {}, options)
  }

  proWorldDeltas(parameters, options) {
    return this.call(OPERATIONS.proWorldDeltas, { parameters }, options)
  }

  reactors(parameters, options) {
    return this.call(OPERATIONS.reactors, { parameters }, options)
  }

  receiptVerify(body, options) {
    return this.call(OPERATIONS.receiptVerify, { body }, options)
  }

  serviceStatus(parameters, options) {
    return this.call(OPERATIONS.serviceStatus, { parameters }, options)
  }

  severeWeather(parameters, options) {
    return this.call(OPERATIONS.severeWeather, { parameters }, options)
  }

  spaceWeather(parameters, options) {
    return this.call(OPERATIONS.spaceWeather, { parameters }, options)
  }

  stocks(parameters, options) {
    return this.call(OPERATIONS.stocks, { parameters }, options)
  }

  techNews(parameters, options) {
    return this.call(OPERATIONS.techNews, { parameters }, options)
  }

  tradeHalts(parameters, options) {
    return this.call(OPERATIONS.tradeHalts, { parameters }, options)
  }

  tsunami(parameters, options) {
    return this.call(OPERATIONS.tsunami, { parameters }, options)
  }

  volcanoes(parameters, options) {
    return this.call(OPERATIONS.volcanoes, { parameters }, options)
  }

  weather(parameters, options) {
    return this.call(OPERATIONS.weather, { parameters }, options)
  }

  wildfires(parameters, options) {
    return this.call(OPERATIONS.wildfires, { parameters }, options)
  }

  dcat(options) {
    return this.call(OPERATIONS.dcat, {}, options)
  }

  changelog(options) {
    return this.call(OPERATIONS.changelog, {}, options)
  }

  changelogJson(options) {
    return this.call(OPERATIONS.changelogJson, {}, options)
  }

  changelogMarkdown(options) {
    return this.call(OPERATIONS.changelogMarkdown, {}, options)
  }

  agentPayments(options) {
    return this.call(OPERATIONS.agentPayments, {}, options)
  }

  agentPaymentsMarkdown(options) {
    return this.call(OPERATIONS.agentPaymentsMarkdown, {}, options)
  }

  icon(options) {
    return this.call(OPERATIONS.icon, {}, options)
  }

  llmsFull(options) {
    return this.call(OPERATIONS.llmsFull, {}, options)
  }

  llms(options) {
    return this.call(OPERATIONS.llms, {}, options)
  }

  openapi(options) {
    return this.call(OPERATIONS.openapi, {}, options)
  }

  robots(options) {
    return this.call(OPERATIONS.robots, {}, options)
  }

  status(options) {
    return this.call(OPERATIONS.status, {}, options)
  }

  world(options) {
    return this.call(OPERATIONS.world, {}, options)
  }
}
