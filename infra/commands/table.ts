import { type Arguments, type ArgumentsCount, EXIT_CODES, type Options, readArguments } from "./arguments.ts"

interface Declaration<O extends Options> {
  /** As in `npm run NAME`. */
  readonly name: string
  /** One line for the overview. */
  readonly summary: string
  readonly usage: string
  /** The last paragraph of the usage, where the exit codes are not the common ones. */
  readonly exitCodes?: string
  readonly options?: O
  /** How many arguments without a name; none when absent. */
  readonly takes?: ArgumentsCount
  /** Loads the command's own code. `run` gives the exit code, and throws `WrongUsage` before it does anything. */
  readonly load: () => Promise<{ readonly run: (given: Arguments<O>) => number | Promise<number> }>
}

/** A command line of the operators. */
export interface CommandLine {
  readonly name: string
  readonly summary: string
  readonly usage: string
  /** Reads the arguments, loads the code and runs it; gives the exit code. */
  readonly run: (words: ReadonlyArray<string>) => Promise<number>
}

const declare = <const O extends Options>(declaration: Declaration<O>): CommandLine => {
  const { name, summary, exitCodes = EXIT_CODES, options, takes, load } = declaration
  const usage = `usage: ${declaration.usage}\n\n${exitCodes}`
  return {
    name,
    summary,
    usage,
    run: async (words) => {
      const given = readArguments(usage, options ?? ({} as O), takes, words)
      return (await load()).run(given)
    },
  }
}

/** Every command of `infra/commands/`. Nothing of a command is loaded with this table. */
export const commandTable: ReadonlyArray<CommandLine> = [
  declare({
    name: "log",
    summary: "exports the log to a file, imports a file into an empty log, or prints the brokers' access rules",
    options: { discard: { type: "boolean", default: false } },
    takes: { min: 1, max: 2 },
    load: () => import("./log.ts"),
    usage: `npm run log -- export FILE
       npm run log -- import FILE
       npm run log -- import --discard
       npm run log -- acls

export   writes the records of the log as NDJSON. Records that were trimmed from the log are in the archive only: npm run
         backup writes them too. Stop the service first: an export is refused when the log changes meanwhile.
import   reads an export or a backup into an empty log. After an interruption the same command with the same file
         continues; until the import is complete, the log is refused to everything else. Afterwards: npm run rebuild, with
         an empty ClickHouse.
         --discard deletes the records of an unfinished import.
acls     prints the commands that give each role's user on Kafka the rights that it needs and no others. It connects to
         nothing; KAFKA_TOPIC_PREFIX selects the names.

FILE may be - for standard output or input. KAFKA_BROKERS and DATA_DIR select the log.`,
  }),
  declare({
    name: "contract",
    summary: "checks an installation against the contract, from outside",
    options: { credits: { type: "string" }, json: { type: "string" }, junit: { type: "string" } },
    takes: { min: 1, max: 1 },
    load: () => import("./contract/contract.ts"),
    usage: `TIDEWIRE_TOKEN=... npm run contract -- URL [--credits N] [--json FILE] [--junit FILE]

Asks an installation for every reply that the contract of this checkout promises: status, type, headers and body, HEAD and
entity tags, formats, the past, refusals. It reads, and changes nothing. A share that is used up is waited out.

With a token it calls premium endpoints too, the cheapest first, for at most N credits [10], and looks at the balance: nothing
else may use the token meanwhile.

--json, --junit   write the results for programs and for CI.`,
  }),
  declare({
    name: "backup",
    summary: "writes the log and the archive, or a cut of some feeds, to one file",
    options: {
      from: { type: "string" },
      to: { type: "string" },
      feeds: { type: "string" },
      redact: { type: "boolean", default: false },
    },
    takes: { min: 1, max: 1 },
    load: () => import("./backup.ts"),
    usage: `npm run backup -- FILE
       npm run backup -- FILE --feeds FEED,FEED --from A --to B [--redact]

Writes one file with every record: those of the log, and those that were trimmed from it, from the archive (the table events
of ClickHouse). npm run restore -- FILE restores it, on either engine. FILE may be - for standard output.
Stop the service first: the backup is refused when the log changes meanwhile.

--feeds   writes a small one: the polls of these feeds from A on and before B, instants with a zone, and of what was before them the
          last payloads, on which they stand. They are folded anew, event by event, into a log of its own, with changes, cursors
          and past replies of its own, as of B. The whole ledger and the usage of the interval are in it.
--redact  leaves out everything about callers and money: ledger, accounts, tokens, wallets, receipts, usage, kept replies, and what
          requests alone have brought, as weather at the places that callers asked for. Fixtures are made so.

Secrets are not included. Save them separately: the folder secrets in DATA_DIR, or the variables that end in _KEY, _KEYS or
_SECRET, which the command lists at its end. The file contains only hashes of tokens and memos, but every purchase and call:
protect it like the log itself.`,
  }),
  declare({
    name: "restore",
    summary: "restores a backup into an empty log and an empty ClickHouse",
    takes: { min: 1, max: 1 },
    load: () => import("./restore.ts"),
    usage: `npm run restore -- FILE

Restores a file of npm run backup into an empty log and an empty ClickHouse of either engine: first the log, then the views
and the history, which are rebuilt from it. Until the log is complete, no service starts on it.

After an interruption the same command with the same file continues. FILE may be - for standard input: then the same backup
must be piped in again from its beginning; once the log is complete, it is no longer read, and npm run rebuild continues.

The whole history passes through the log, which needs the disk space until the service trims it again. Secrets are not in
the file: restore the folder secrets of DATA_DIR, or the variables that end in _KEY, _KEYS or _SECRET, before the start.`,
  }),
  declare({
    name: "rebuild",
    summary: "rebuilds views and history from the log, or verifies them",
    options: { verify: { type: "boolean", default: false } },
    load: () => import("./rebuild.ts"),
    usage: `npm run rebuild [-- --verify]

Rebuilds the views and the tables of the history from the log and the archive. With --verify nothing is changed: a fresh fold
is compared with the live state, and the first event at which they differ is printed (exit code 1).

Stop the service first: a data folder that is in use is refused, with the process that holds it. On Kafka, --verify may run
beside the service, and compares the state of one moment.`,
  }),
  declare({
    name: "replay",
    summary: "folds a stretch of a log into a service of its own, or with two versions of the code",
    options: {
      from: { type: "string" },
      to: { type: "string" },
      into: { type: "string" },
      diff: { type: "string" },
      source: { type: "string" },
    },
    load: () => import("./replay/command-line.ts"),
    usage: `npm run replay -- --into DIR [--from A] [--to B] [--source FILE]
       npm run replay -- --diff OTHER_CHECKOUT [--from A] [--to B] [--source FILE]

Folds the log of this installation, or a file of npm run backup, up to an instant. Nothing of the source is written; the log
may be in use, unless a part of it is in the embedded ClickHouse alone: then stop the service first, or give a backup.

--into   makes a data folder of it, from which the service answers as at B. The command that starts it is printed: it polls
         nothing, and the age of data is judged at B. Views are those of everything up to B. Its log has the events and the
         changes from A on, so only these can be read and queried; credits, replies and secrets are not in it.
--diff   folds it with the code of this checkout and with that of another one, which wants its own npm ci, and shows for
         each view that differs the first event after which it does, and how: the other one's reply, then what this one
         makes of it. What lies before A is folded and not compared.
--from, --to   instants of event time with a zone, as 2026-11-20T05:00Z; by default the begin and the end of the log.
--source FILE  a file of npm run backup, or an export; - reads standard input.`,
    exitCodes:
      "Exit code: 0 done or equal, 1 replies differ, 2 refused or failed, 130 interrupted, 141 output closed.\n",
  }),
  declare({
    name: "purge",
    summary: "takes past replies, a feed or one item out of what is shown and held",
    options: {
      feed: { type: "string" },
      key: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      operator: { type: "string" },
      reason: { type: "string" },
    },
    takes: { min: 0, max: 1 },
    load: () => import("./purge.ts"),
    usage: `npm run purge -- PATH --from A --to B --operator NAME --reason TEXT
       npm run purge -- --feed FEED [--key KEY] [--from A] [--to B] --operator NAME --reason TEXT

PATH     the replies of the endpoint that were known from A on and before B are no longer shown: ?at= answers 404 withdrawn, in
         every format, on pages and by MCP, at most 15 seconds after the history has the entry. Nothing is deleted.
--feed   what was known of the feed, or of its item with this KEY (as /api/changes and histories state it), from A on and before B:
         by default from the beginning until now. /api/changes, the stream and GET <endpoint>/history leave it out at once, by MCP
         too; ?at= of every view that could show it answers 404 withdrawn; and the history removes it from its tables, from the
         past of views and from the archive.

Both stand in the log with operator and reason, a KEY as a digest alone, and are obeyed after a repair, a rebuild, a backup and a
restore. Not removed are the log until it is trimmed, backups made before that, and what others keep of replies. What is
served now is not of the past: an item that its upstream still lists is shown from B on.

Stop a service on the embedded log first; on Kafka the command may run beside it. A and B are instants with a zone.`,
  }),
  declare({
    name: "sql",
    summary: "queries the history with SQL",
    options: { format: { type: "string" } },
    takes: { min: 1, max: Number.POSITIVE_INFINITY },
    load: () => import("./sql.ts"),
    usage: `npm run sql -- [--format csv|json|jsonl|markdown|parquet|arrow] "SELECT ..."

Queries the history with the rights and limits of an analyst, and prints the result as a table, or in a format. FORMAT at the
end of the query names any other of ClickHouse. To a file: npm run --silent sql -- --format parquet "SELECT ..." > FILE.
The service must be running. infra/history/queries.md has ready queries. Without SQL: GET <endpoint>/history?from=...&to=...
is what changed of an endpoint's items, by the time at which it happened, and ?at=INSTANT any reply as it was known then.`,
  }),
  declare({
    name: "ledger",
    summary: "verifies the ledger, shows accounts, grants and refunds credits",
    options: {
      json: { type: "boolean", default: false },
      operator: { type: "string" },
      reason: { type: "string" },
      note: { type: "string" },
      payment: { type: "string" },
      anchor: { type: "string" },
      jwks: { type: "string" },
      save: { type: "string" },
      after: { type: "string" },
      limit: { type: "string" },
    },
    takes: { min: 1, max: 3 },
    load: () => import("./ledger/command-line.ts"),
    usage: `npm run ledger -- verify [--anchor FILE [--jwks FILE|URL]]
       npm run ledger -- head [--save FILE]
       npm run ledger -- list [--after PLACE] [--limit COUNT]
       npm run ledger -- show ACCOUNT
       npm run ledger -- grant ACCOUNT|new CREDITS --operator NAME --reason TEXT [--payment TRANSACTION:POSITION]
       npm run ledger -- reissue ACCOUNT --operator NAME --reason TEXT
       npm run ledger -- refund DEBIT --operator NAME --note TEXT
       npm run ledger -- accept-clock --operator NAME --reason TEXT

verify   folds the whole ledger and proves it; exit code 1 and the first invalid entry when the proof fails. Then it compares
         the cached state in DATA_DIR with the log, if there is one; exit code 1 and the first row that differs. It changes
         nothing and may run beside the service. A ledger that was truncated is still a valid, shorter ledger: --anchor
         takes a buyer's receipt, a reply with its receipt, or a saved head, and proves that its entry is still in the
         log. The receipt is verified with this installation's keys, or with those of --jwks.
head     prints the last entry of the log; --save writes it to a file. Keep that file out of reach of everyone who can
         write the log.
list     lists accounts in the order of their opening: place, id, balance, purchases, token, opener. At most 200, or
         --limit (10,000 at most); --after continues after a place.
show     prints balance and purchases of an account.
grant    adds credits. A new account gets a token, which is printed only this once. --payment names a transfer on the chain
         that cannot be proved, by its transaction and the position of its log in the receipt, and marks it as used.
reissue  gives an account a new token, which is printed only this once, for an owner who has no other way to recover it. The
         previous token is revoked, and so is the account's opener: a leaked memo no longer yields a token.
refund   returns the credits of a call.
accept-clock  accepts the clock of the ledger's machine when the ledger distrusts it and writes nothing (/readyz gives the
         reason). Check the clock first: an entry with a time in the future keeps all later entries at that time.

All take --json. Changes go through the running service (ADMIN_PORT, or LEDGER_URLS); when none is running, the command
claims the log itself.`,
  }),
  declare({
    name: "receipt:verify",
    summary: "verifies a receipt offline",
    options: { jwks: { type: "string" } },
    takes: { min: 1, max: 1 },
    load: () => import("./receipt-verify.ts"),
    usage: `npm run receipt:verify -- FILE [--jwks FILE|URL]

Verifies a receipt offline. FILE is a saved reply (JSON with its member receipt) or a receipt alone (compact JWS); - reads
standard input. The public keys come from a saved /.well-known/jwks.json, from its https address, or, without --jwks, from
this installation.`,
    exitCodes: "Exit code: 0 valid, 1 not valid, 2 it could not be verified.\n",
  }),
  declare({
    name: "captures",
    summary: "decodes recorded upstream answers with the sources",
    options: { show: { type: "boolean", default: false }, rows: { type: "string", default: "20" } },
    takes: { min: 1, max: 1 },
    load: () => import("./captures.ts"),
    usage: `npm run captures -- DIR [--show [--rows N]]

Decodes recorded answers of upstreams with the documents of the sources. DIR contains one folder for each source.

  --show     also prints the result of each answer: items, rows that cannot be read, and the replies of its endpoints
  --rows N   prints the first N entries of longer lists (20); 0 prints all`,
  }),
  declare({
    name: "snapshots",
    summary: "writes the schema snapshots, and refuses breaking changes",
    options: { unreleased: { type: "string", multiple: true, default: [] } },
    load: () => import("./snapshots.ts"),
    usage: `npm run snapshots [-- --unreleased NAME ...]

Writes the snapshots of the current schemas. A change that breaks the last commit's snapshot is refused; for a NAME that is
in no release yet, one that breaks the last release's. NAME is a feed (forex) or a version of an event (feed.observed.v1).`,
  }),
  declare({
    name: "clients",
    summary: "makes the clients of the contract",
    takes: { min: 1, max: 1 },
    load: () => import("./clients.ts"),
    usage: `npm run clients -- DIR

Makes the packages of the clients, DIR/typescript and DIR/python: prints what follows from the contract, and adds what is
written by hand in api/clients/, which it compiles for TypeScript; that needs the packages for development. Prints the files
that changed.`,
  }),
]

/** The list of commands, as `main.js --help` prints it. */
export const overview = (): string => {
  const width = Math.max(...commandTable.map(({ name }) => name.length))
  const lines = commandTable.map(({ name, summary }) => `  npm run ${name.padEnd(width)}  ${summary}\n`)
  return `Tidewire's commands. Each prints its usage with -- --help.\n\n${lines.join("")}`
}
