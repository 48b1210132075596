/** Saves the content as a file, as if the user had downloaded it. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Waits, because the browser needs the URL until it has begun to read the blob.
  setTimeout(() => URL.revokeObjectURL(url), SAVED_MS);
}

const SAVED_MS = 60_000;

/** Number of received bytes to collect in memory before they become a blob. The browser may store blobs on disk. */
const PART_BYTES = 4 << 20;

/**
 * Collects a stream into one blob.
 * @param onChunk called with each chunk as it arrives
 */
export async function gather(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  type: string,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Blob> {
  const reader = stream.getReader();
  const parts: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    onChunk(part.value);
    waiting.push(part.value);
    bytes += part.value.length;
    if (bytes < PART_BYTES) continue;
    parts.push(new Blob(waiting));
    waiting = [];
    bytes = 0;
  }
  return new Blob([...parts, ...waiting], { type });
}
