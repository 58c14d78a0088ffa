/** The sizes in the header of a zstd body's first frame (RFC 8878, section 3.1.1.1). Undefined: not given, or cut off. */
interface ZstdStart {
  /** Bytes of the window; of a single segment those of the content. */
  readonly windowBytes: number | undefined;
  /** Bytes of the frame after decompression. A decoder fails when the frame has others. */
  readonly frameBytes: number | undefined;
}

const magicNumber = 0xfd2fb528;

export function zstdStart(start: Buffer): ZstdStart {
  if (start.length < 6 || start.readUInt32LE(0) !== magicNumber)
    return { windowBytes: undefined, frameBytes: undefined };
  const [descriptor = 0, window = 0] = start.subarray(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryIdBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const frameBytes = contentSize(start, {
    flag: descriptor >> 6,
    at: 5 + (isSingleSegment ? 0 : 1) + dictionaryIdBytes,
    isSingleSegment,
  });
  if (isSingleSegment) return { windowBytes: frameBytes, frameBytes };
  const base = 2 ** (10 + (window >> 3));
  return { windowBytes: base + (base / 8) * (window & 7), frameBytes };
}

/** Frame_Content_Size. */
function contentSize(
  start: Buffer,
  { flag, at, isSingleSegment }: { flag: number; at: number; isSingleSegment: boolean },
): number | undefined {
  if (flag === 0 && !isSingleSegment) return undefined;
  if (start.length < at + 2 ** flag) return undefined;
  switch (flag) {
    case 0:
      return start.readUInt8(at);
    case 1:
      return start.readUInt16LE(at) + 256;
    case 2:
      return start.readUInt32LE(at);
    default:
      return Number(start.readBigUInt64LE(at));
  }
}
