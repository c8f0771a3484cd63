import { afinn165FinancialMarketNews } from "afinn-165-financialmarketnews"
import { phraseFinder } from "./phrases.ts"

/** What a phrase does to the score of a headline: a weight from -5 to 5, the reversal of what follows, or nothing. */
export type Meaning = number | "negates" | "neutral"

/** Words of markets that the package lacks or weighs otherwise, each inflection by itself. */
// biome-ignore format: lists of words
const own: ReadonlyArray<readonly [weight: number, words: string]> = [
  [3, "skyrocket skyrockets skyrocketed skyrocketing"],
  [2, `
    soar soars soared soaring surge surges surged surging outperform outperforms outperformed outperforming
    thrive thrives thrived thriving`],
  [1, `
    climbs climbed climbing jumps jumping gaining rebounds rebounded rebounding recover recovers recovered recovering
    bounce bounces bounced bouncing beats exceed exceeds exceeded exceeding raised raising upgrade upgrades upgraded upgrading
    bulls inflow inflows breakout breakouts uptrend upside upbeat tailwind tailwinds buy buys buying milestone milestones
    adoption lifts lifted profits resume resumes resumed resuming accumulate accumulates dovish all-time-high`],
  [-1, `
    weaken weakens weakened weakening weaker bears bearish sell sells selling dip dipped dipping slid sliding sinking
    pullback pullbacks retreats retreated retreating downtrend downturn downturns outflow outflows headwind headwinds
    hawkish volatile trims trimmed cutting lowers lowered pause pauses paused pausing probes probed probing
    investigate investigates investigated drains slows slowed concern volatility delays`],
  [-2, `
    plunge plunges plunged plunging slump slumps slumped slumping sinks tumbling crashed crashing misses missing
    downgrade downgrades downgraded downgrading halts halted halting hack hacks hacked hacking hacker hackers
    seize seizes seized seizing seizure seizures default defaults defaulted defaulting
    liquidate liquidates liquidated liquidating liquidation liquidations freeze freezes froze freezing frozen
    suspend suspends suspended suspension bans selloff selloffs rout turmoil theft thefts delist delists delisted delisting
    depeg depegs depegged sanctioned stalls crackdown glitch exodus shutdown penalties`],
  [-3, `
    plummet plummets plummeted plummeting heist heists insolvency ransomware cyberattack cyberattacks wipeout ponzi
    laundering phishing malware indict indicts`],
]

/** Words of the package that do not count: in headlines of markets they are names of things, or carry no judgement. */
// biome-ignore format: a list of words
const neutral = `
  share shared shares asset assets gold like liked likes interest interests united trust trusts demand demands fine free big top
  true want natural pay reach reaches reached agree matter join straight long-term watch-list 1-trending block blocks fire tank tanks
  alert committed vision novel super grand settlement`

/** Phrases that hold a word with a weight and do not mean it. */
const neutralPhrases = [
  "by default",
  "default settings",
  "default value",
  "hacker news",
  "life hack",
  "life hacks",
  "growth hacking",
  "space probe",
  "feature freeze",
  "code freeze",
  "bear in mind",
  "for the record",
  "record label",
  "missing link",
  "free fall",
]

/** Negations reverse the words that follow; their own weight does not count. */
const negations = [
  ...["not", "no", "never", "without", "cannot"],
  ...["isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "won't", "wouldn't", "can't", "couldn't"],
  ...["shouldn't", "hasn't", "haven't", "hadn't", "ain't", "needn't", "mustn't"],
  ...["fail to", "fails to", "failed to", "failing to"],
  ...["deny", "denies", "denied", "denying"],
]

const wordsOf = (list: string): ReadonlyArray<string> => list.trim().split(/\s+/)

/** The words of our own list, with their weights. */
export const ownWords: ReadonlyArray<readonly [word: string, weight: number]> = own.flatMap(([weight, words]) =>
  wordsOf(words).map((word) => [word, weight] as const),
)

/**
 * The meaning of the phrase at a word of a headline: the lexicon `lexicon-1`. AFINN-165 of Finn Årup Nielsen in its edition
 * for financial news, without its entries of several words, which are of social text; over it our own words. A whole word
 * counts, never a part of one; of several phrases the longest.
 */
export const meaningAt = phraseFinder<Meaning>([
  ...Object.entries(afinn165FinancialMarketNews).filter(([word]) => !word.includes(" ")),
  ...ownWords,
  ...wordsOf(neutral).map((word) => [word, "neutral"] as const),
  ...neutralPhrases.map((phrase) => [phrase, "neutral"] as const),
  ...negations.map((phrase) => [phrase, "negates"] as const),
])
