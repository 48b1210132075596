/** Shows the progress of an upload. At 100%, the file is being split into passages and indexed. */
export function UploadProgress({ sent }: { sent: number | null }) {
  if (sent === null) return null;
  const percent = Math.floor(sent * 100);
  return (
    <div className="stack-small" role="status">
      <progress max={100} value={percent} aria-label="Uploaded" />
      <span className="small muted numeric">
        {percent < 100 ? `${percent}% uploaded` : 'Uploaded. Indexing…'}
      </span>
    </div>
  );
}
