/** Words that order a reader to drop what it was asked to do, with their usual forms; in seven languages. */
const dropping = [
  ...["ignore", "ignores", "ignored", "ignoring", "disregard", "disregards", "disregarded", "disregarding"],
  ...["forget", "forgets", "forgot", "forgetting", "override", "overrides", "overriding", "overrode", "bypass"],
  ...["ignora", "ignorar", "ignorate", "olvida", "olvide", "ignorez", "ignorer", "oublie", "oubliez", "esqueca"],
  ...["dimentica", "dimenticate", "ignoriere", "ignoriert", "ignorieren", "vergiss", "vergesst", "missachte"],
  ...["\u0438\u0433\u043D\u043E\u0440\u0438\u0440\u0443\u0439", "\u0437\u0430\u0431\u0443\u0434\u044C"],
  ...[
    "\u0438\u0433\u043D\u043E\u0440\u0438\u0440\u0443\u0439\u0442\u0435",
    "\u0437\u0430\u0431\u0443\u0434\u044C\u0442\u0435",
  ],
]

/** What such an order says to drop. */
const dropped = [
  ...[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "rule",
    "rules",
    "guideline",
    "guidelines",
    "directives",
    "orders",
  ],
  ...["instrucciones", "reglas", "consignes", "regles", "instrucoes", "regras", "istruzioni", "regole"],
  ...["anweisung", "anweisungen", "regeln", "vorgaben", "instruktionen"],
  ...["\u0438\u043D\u0441\u0442\u0440\u0443\u043A\u0446\u0438\u0438", "\u043F\u0440\u0430\u0432\u0438\u043B\u0430"],
]

/** The same in Chinese, Japanese and Korean, which write no spaces between words and either part first. */
const droppingUnspaced = [
  "\u5FFD\u7565",
  "\u65E0\u89C6",
  "\u7121\u8996",
  "\u5FD8\u8BB0",
  "\u5FD8\u308C",
  "\uBB34\uC2DC",
]
const droppedUnspaced = [
  "\u6307\u4EE4",
  "\u6307\u793A",
  "\u63D0\u793A\u8BCD",
  "\u89C4\u5219",
  "\u547D\u4EE4",
  "\uC9C0\uC2DC",
  "\uC9C0\uCE68",
  "\uBA85\uB839",
]

/** A kind of text that is not quoted in a prompt, and how it is recognised. */
export interface WithheldKind {
  /** As notes name it. */
  readonly name: string
  readonly reason: string
  /** A word of `first` with a word of `second` anywhere behind it. */
  readonly sequence?: { readonly first: ReadonlyArray<string>; readonly second: ReadonlyArray<string> }
  /** A part of both lists, in either order, at any place. */
  readonly unspaced?: readonly [ReadonlyArray<string>, ReadonlyArray<string>]
  /** These words in this order. */
  readonly phrases?: ReadonlyArray<string>
  /** Characters of the text as it stands, whatever their case. */
  readonly literals?: ReadonlyArray<string>
  /** Forms of the text as it stands. */
  readonly forms?: ReadonlyArray<RegExp>
}

/**
 * The published list of texts that are not quoted in a prompt. Words are compared without case, accents and invisible
 * characters, with look-alikes of other scripts and digits read as the letters that they imitate
 * (processors/prompt/folded.ts). A harmless text that matches is left out as well: it stays in the data.
 */
export const withheldKinds: ReadonlyArray<WithheldKind> = [
  {
    name: "override",
    reason: "orders to ignore, disregard, forget or override instructions, a prompt or rules",
    sequence: { first: dropping, second: dropped },
    unspaced: [droppingUnspaced, droppedUnspaced],
    phrases: [
      ...["ignore the above", "ignore everything", "ignore previous", "ignore the previous", "ignore all previous"],
      ...["ignore prior", "ignore what you", "disregard everything", "disregard previous", "disregard prior"],
      ...["disregard the above", "forget everything", "forget what you", "forget previous", "you were told"],
    ],
  },
  {
    name: "system-prompt",
    reason: "speaks of the system prompt, which a reader might take for its own",
    phrases: ["system prompt", "system prompts", "system message", "system instruction", "system instructions"],
  },
  {
    name: "persona",
    reason: "gives the reader another role: you are now, act as, respond as",
    phrases: [
      ...["you are now", "youre now", "from now on you", "pretend to be", "pretend you are"],
      ...["act as", "respond as", "reply as", "answer as", "behave as", "roleplay as", "do anything now"],
    ],
  },
  {
    name: "disclosure",
    reason: "asks for a prompt or for instructions to be shown",
    sequence: {
      first: ["reveal", "repeat", "recite", "print", "output", "leak"],
      second: ["prompt", "prompts", "instructions"],
    },
  },
  {
    name: "address",
    reason: "speaks to a language model that reads it",
    phrases: [
      ...[
        "new instructions",
        "updated instructions",
        "follow these instructions",
        "instructions for ai",
        "attention ai",
      ],
      ...[
        "if you are an ai",
        "if you are an llm",
        "if you are a language model",
        "llm reading this",
        "ai reading this",
      ],
    ],
  },
  {
    name: "chat-markup",
    reason: "holds the marks that separate the turns of a chat",
    literals: [
      ...["<|", "|>", "[inst]", "[/inst]", "<<sys>>", "<system", "</system", "<assistant", "<user>", "<instruction"],
      ...["```", "###", "im_start", "im_end", "endoftext", "start_of_turn", "end_of_turn"],
    ],
  },
  {
    name: "encoded",
    reason: "holds a run of letters and digits that may be encoded text",
    forms: [
      // Base64 of 24 characters and more, in which cases and digits alternate as they do in no word.
      /(?=[A-Za-z\d+/]{24})(?:[A-Za-z\d+/]*?(?:[a-z][A-Z\d]|\d[A-Za-z])){3}/,
      /[A-Za-z\d+/_-]{48}/,
      /[\da-f]{32}/i,
      // Bytes in bits, and escaped ones.
      /(?:[01]{8}\s*){3}/,
      /(?:%[\da-f]{2}){4}/i,
      /(?:\\x[\da-f]{2}){4}|(?:\\u[\da-f]{4}){3}/i,
    ],
  },
]
