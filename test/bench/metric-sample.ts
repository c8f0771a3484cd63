/** The value of a Prometheus sample with the given start. */
export const sampleOf = (text: string, start: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.split(" ")
      .at(-1),
  )
