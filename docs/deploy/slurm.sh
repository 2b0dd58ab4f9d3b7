#!/usr/bin/env bash
# Starts Ray on the machines of a Slurm job, then runs a command on the first of them:
#   sbatch --nodes 8 --gpus-per-node 1 slurm.sh vmevalkit run --model ltx-video --experiment first \
#       --executor ray --address auto
# Add --shared where the data folder is on a file system of all machines.
#SBATCH --job-name=vmevalkit
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
set -euo pipefail
export RAY_USAGE_STATS_ENABLED=0
port=6379
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}')

srun --nodes=1 --ntasks=1 --nodelist="$head" \
  ray start --head --node-ip-address="$address" --port="$port" --block &
sleep 10
if ((${#nodes[@]} > 1)); then
  srun --nodes=$((${#nodes[@]} - 1)) --ntasks=$((${#nodes[@]} - 1)) --exclude="$head" \
    ray start --address="$address:$port" --block &
  sleep 10
fi
srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" "$@"
