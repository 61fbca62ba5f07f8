#!/usr/bin/env python3
"""UCPO in RL4CO style: POMO with another loss, by overriding one method.

    pomo_rl4co.py [--epochs 1]

Needs rl4co (pip install rl4co); without it the script says so and ends with status 77. RL4CO's POMO draws one
trajectory per start node; `calculate_loss` gets their rewards and log-likelihoods. Here the environment is the CVRP with
time windows, whose reward RL4CO gives for feasible actions only, so every violation is 0 and the loss compares costs; an
environment that lets trajectories break constraints puts the excess into td["violation"].
"""
import argparse
import sys

try:
    import torch
    from rl4co.envs import CVRPTWEnv
    from rl4co.models.zoo import POMO, AttentionModelPolicy
    from rl4co.utils.trainer import RL4COTrainer
except ImportError as error:
    print(f"pomo_rl4co.py: skipped, rl4co is not installed ({error})")
    sys.exit(77)

from ucpo.torch import ucpo_loss


class UCPO(POMO):
    """POMO whose loss compares the trajectories of an instance instead of averaging their rewards."""

    def calculate_loss(self, td, batch, policy_out, reward=None, log_likelihood=None):
        reward = policy_out["reward"] if reward is None else reward
        log_likelihood = policy_out["log_likelihood"] if log_likelihood is None else log_likelihood
        violation = td["violation"].view_as(reward) if "violation" in td.keys() else torch.zeros_like(reward)
        nodes = td["locs"].shape[-2]
        loss, metrics = ucpo_loss(log_likelihood, -reward, violation, nodes=nodes)  # the one line
        policy_out.update({"loss": loss, "reinforce_loss": loss, "bl_loss": 0.0, "bl_val": reward.mean(),
                           "infeasible": metrics.infeasible_samples})
        return policy_out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--size", type=int, default=10)
    options = parser.parse_args()
    env = CVRPTWEnv(generator_params={"num_loc": options.size})
    policy = AttentionModelPolicy(env_name=env.name, embed_dim=64, num_encoder_layers=2, num_heads=4,
                                  normalization="instance", use_graph_context=False)
    model = UCPO(env, policy=policy, batch_size=32, train_data_size=640, val_data_size=64, test_data_size=64,
                 num_augment=1, optimizer_kwargs={"lr": 1e-3})
    RL4COTrainer(max_epochs=options.epochs, accelerator="cpu", devices=1, logger=False).fit(model)


if __name__ == "__main__":
    main()
