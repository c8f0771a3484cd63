// Workbooks of Excel 97 to 2003: a stream of BIFF8 records inside a compound file (MS-CFB, MS-XLS). Numbers and texts of cells
// are read; formulas, formats and dates are not.

/** A sheet: its cells by row and column; null where a cell is empty or of another kind. */
interface Sheet {
  readonly name: string
  readonly rows: ReadonlyArray<ReadonlyArray<number | string | null>>
}

const SIGNATURE = 0xe11ab1a1e011cfd0n
const HEADER_BYTES = 512
const HEADER_FAT_SECTORS = 109
/** Chains of sectors end with a number above this one. */
const SECTOR_MAX = 0xfffffff9
const DIRECTORY_ENTRY_BYTES = 128
/** Smaller streams are stored in another way; no workbook with data is as small. */
const STREAM_MIN_BYTES = 4096
const SHEETS_MAX = 50
const ROWS_MAX = 70_000
const COLUMNS_MAX = 256

/** The bytes of the sectors of a chain. Throws where it leaves the file or does not end. */
const chainOf = (sectors: ReadonlyArray<Buffer>, fat: ReadonlyArray<number>, first: number): Buffer => {
  const pieces: Array<Buffer> = []
  for (let at = first; at <= SECTOR_MAX; at = fat[at] ?? 0xffffffff) {
    const sector = sectors[at]
    if (sector === undefined || pieces.length > sectors.length) throw new Error("a chain of sectors is broken")
    pieces.push(sector)
  }
  return Buffer.concat(pieces)
}

/** The stream of the workbook in a compound file. */
const workbookStream = (file: Buffer): Buffer => {
  if (file.byteLength < HEADER_BYTES || file.readBigUInt64LE(0) !== SIGNATURE) throw new Error("no compound file")
  const sectorBytes = 2 ** file.readUInt16LE(30)
  if (sectorBytes !== 512 && sectorBytes !== 4096) throw new Error("a sector of another size")
  const count = Math.floor(file.byteLength / sectorBytes) - 1
  const sectors = Array.from({ length: Math.max(0, count) }, (_, at) =>
    file.subarray((at + 1) * sectorBytes, (at + 2) * sectorBytes),
  )
  const numbers = (bytes: Buffer): ReadonlyArray<number> =>
    Array.from({ length: bytes.byteLength / 4 }, (_, at) => bytes.readUInt32LE(at * 4))
  // Files of more than seven megabytes have further sectors of the table, and are larger than any that is read.
  const fat = numbers(file.subarray(76, 76 + HEADER_FAT_SECTORS * 4))
    .filter((at) => at <= SECTOR_MAX)
    .flatMap((at) => numbers(sectors[at] ?? Buffer.alloc(0)))
  const directory = chainOf(sectors, fat, file.readUInt32LE(48))
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.byteLength; at += DIRECTORY_ENTRY_BYTES) {
    const nameBytes = Math.min(64, directory.readUInt16LE(at + 64))
    const name = directory.toString("utf16le", at, at + Math.max(0, nameBytes - 2))
    if (name !== "Workbook") continue
    const sizeBytes = directory.readUInt32LE(at + 120)
    if (sizeBytes < STREAM_MIN_BYTES) throw new Error("a workbook without data")
    return chainOf(sectors, fat, directory.readUInt32LE(at + 116)).subarray(0, sizeBytes)
  }
  throw new Error("no workbook in the file")
}

const BOUNDSHEET = 0x85
const SST = 0xfc
const LABELSST = 0xfd
const NUMBER = 0x203
const RK = 0x27e
const MULRK = 0xbd
const EOF = 0x0a
const BOF = 0x809

interface BiffRecord {
  readonly type: number
  readonly data: Buffer
}

/** The records from an offset on, up to the end of the stream. */
function* recordsFrom(stream: Buffer, offset: number): Generator<BiffRecord> {
  for (let at = offset; at + 4 <= stream.byteLength; ) {
    const [type, length] = [stream.readUInt16LE(at), stream.readUInt16LE(at + 2)]
    if (at + 4 + length > stream.byteLength) throw new Error("a record is cut")
    yield { type, data: stream.subarray(at + 4, at + 4 + length) }
    at += 4 + length
  }
}

/** A text of so many characters, in one byte each or in two. */
const textAt = (data: Buffer, at: number, characters: number, isWide: boolean): string =>
  data.toString(isWide ? "utf16le" : "latin1", at, at + characters * (isWide ? 2 : 1))

/** The shared texts of cells, up to the first that continues in another record. */
const sharedTexts = (data: Buffer): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (let at = 8; at + 3 <= data.byteLength; ) {
    const [characters, flags] = [data.readUInt16LE(at), data.readUInt8(at + 2)]
    const [isWide, isRich, isExtended] = [(flags & 1) !== 0, (flags & 8) !== 0, (flags & 4) !== 0]
    const headBytes = 3 + (isRich ? 2 : 0) + (isExtended ? 4 : 0)
    if (at + headBytes > data.byteLength) break
    const runsBytes = isRich ? data.readUInt16LE(at + 3) * 4 : 0
    const extendedBytes = isExtended ? data.readUInt32LE(at + 3 + (isRich ? 2 : 0)) : 0
    const end = at + headBytes + characters * (isWide ? 2 : 1) + runsBytes + extendedBytes
    if (end > data.byteLength) break
    texts.push(textAt(data, at + headBytes, characters, isWide))
    at = end
  }
  return texts
}

/** A number in four bytes: a whole number of 30 bits or the upper half of a float, in hundredths or not. */
const rkNumber = (data: Buffer, at: number): number => {
  const bits = data.readUInt32LE(at)
  const float = Buffer.alloc(8)
  float.writeUInt32LE((bits & 0xfffffffc) >>> 0, 4)
  const value = (bits & 2) !== 0 ? data.readInt32LE(at) >> 2 : float.readDoubleLE(0)
  return (bits & 1) !== 0 ? value / 100 : value
}

/** The cells of a sheet, from its offset on. */
const cellsOf = (stream: Buffer, offset: number, texts: ReadonlyArray<string>): Sheet["rows"] => {
  const rows: Array<Array<number | string | null>> = []
  const put = (row: number, column: number, value: number | string | null): void => {
    if (row >= ROWS_MAX || column >= COLUMNS_MAX) throw new Error("a sheet has too many cells")
    while (rows.length <= row) rows.push([])
    const cells = rows[row] ?? []
    while (cells.length <= column) cells.push(null)
    cells[column] = typeof value === "number" && !Number.isFinite(value) ? null : value
  }
  for (const { type, data } of recordsFrom(stream, offset)) {
    if (type === EOF) break
    if (type !== NUMBER && type !== RK && type !== LABELSST && type !== MULRK) continue
    const [row, column] = [data.readUInt16LE(0), data.readUInt16LE(2)]
    if (type === NUMBER) put(row, column, data.readDoubleLE(6))
    else if (type === RK) put(row, column, rkNumber(data, 6))
    else if (type === LABELSST) put(row, column, texts[data.readUInt32LE(6)] ?? null)
    else for (let at = 4; at + 8 <= data.byteLength; at += 6) put(row, column + (at - 4) / 6, rkNumber(data, at + 2))
  }
  return rows
}

/** The sheets of a workbook in its old binary form. Throws if it is none, or exceeds its bounds. */
export const workbookSheets = (bytes: Uint8Array): ReadonlyArray<Sheet> => {
  const stream = workbookStream(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let texts: ReadonlyArray<string> = []
  const listed: Array<{ readonly name: string; readonly offset: number }> = []
  for (const { type, data } of recordsFrom(stream, 0)) {
    if (type === EOF) break
    if (type === BOF && data.readUInt16LE(0) !== 0x600) throw new Error("a workbook of another version")
    if (type === SST) texts = sharedTexts(data)
    if (type === BOUNDSHEET)
      listed.push({
        offset: data.readUInt32LE(0),
        name: textAt(data, 8, data.readUInt8(6), (data.readUInt8(7) & 1) !== 0),
      })
  }
  if (listed.length > SHEETS_MAX) throw new Error("a workbook has too many sheets")
  return listed.map(({ name, offset }) => ({ name, rows: cellsOf(stream, offset, texts) }))
}
