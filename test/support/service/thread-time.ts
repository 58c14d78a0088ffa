/** How long this thread computes for `work`, in milliseconds: whatever else the machine does meanwhile. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
