"""The Kubernetes manifests: valid, allowed under the restricted pod security standard, and fit for
what the bot needs (names that stay, time to end a leg)."""

from typing import Any

import kubernetes_validate
import pytest

_VERSIONS = ("1.31", "1.34", "1.37")


@pytest.mark.parametrize("version", _VERSIONS)
def test_every_manifest_is_valid(cluster: list[dict[str, Any]], version: str) -> None:
    for manifest in cluster:
        kubernetes_validate.validate(manifest, version, strict=True)
    assert len(cluster) >= 9


def test_pods_are_restricted(cluster: list[dict[str, Any]]) -> None:
    # https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
    for pod in _pods(cluster).values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        kinds = {kind for volume in pod["volumes"] for kind in volume if kind != "name"}
        assert kinds <= {"configMap", "secret", "emptyDir"}
    namespace = _one(cluster, "Namespace", "repowright")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_no_service_variable_is_taken_for_a_setting(cluster: list[dict[str, Any]]) -> None:
    """A Service named repowright would set REPOWRIGHT_PORT to an address."""
    assert all(pod["enableServiceLinks"] is False for pod in _pods(cluster).values())


def test_a_worker_keeps_its_name_and_has_time_to_end_a_leg(cluster: list[dict[str, Any]]) -> None:
    workers = _one(cluster, "StatefulSet", "repowright-worker")
    pod = _pods(cluster)["repowright-worker"]
    names = {e["name"]: e for e in pod["containers"][0]["env"]}
    source = names["REPOWRIGHT_WORKER_ID"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert source == "metadata.name"
    assert pod["terminationGracePeriodSeconds"] >= 600
    assert workers["spec"]["serviceName"] in {
        m["metadata"]["name"] for m in cluster if m["kind"] == "Service"
    }


def test_probes_ask_what_the_bot_answers(cluster: list[dict[str, Any]]) -> None:
    for pod in _pods(cluster).values():
        (container,) = pod["containers"]
        assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
        assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert ports == {"http": 8080, "metrics": 9090}


def test_secrets_come_as_files(cluster: list[dict[str, Any]]) -> None:
    for pod in _pods(cluster).values():
        for variable in pod["containers"][0]["env"]:
            assert "secretKeyRef" not in variable.get("valueFrom", {})
        secrets = [v["secret"] for v in pod["volumes"] if "secret" in v]
        assert [s["defaultMode"] for s in secrets] == [0o440]


def test_each_pod_is_under_a_budget_and_the_network_policy(cluster: list[dict[str, Any]]) -> None:
    budgets = [m["spec"]["selector"] for m in cluster if m["kind"] == "PodDisruptionBudget"]
    (policy,) = (m["spec"] for m in cluster if m["kind"] == "NetworkPolicy")
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    for manifest in cluster:
        if manifest["kind"] in ("Deployment", "StatefulSet"):
            labels = manifest["spec"]["template"]["metadata"]["labels"]
            assert any(s["matchLabels"].items() <= labels.items() for s in budgets)
            assert policy["podSelector"].get("matchLabels", {}).items() <= labels.items()


def test_no_private_address_is_reached_but_dns_and_database(
    cluster: list[dict[str, Any]],
) -> None:
    (policy,) = (m["spec"] for m in cluster if m["kind"] == "NetworkPolicy")
    ports = sorted(port["port"] for rule in policy["egress"] for port in rule["ports"])
    assert ports == [53, 53, 443, 5432]
    (outside,) = (r for r in policy["egress"] if r["ports"][0]["port"] == 443)
    assert "169.254.0.0/16" in outside["to"][0]["ipBlock"]["except"]


def _pods(cluster: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        m["metadata"]["name"]: m["spec"]["template"]["spec"]
        for m in cluster
        if m["kind"] in ("Deployment", "StatefulSet")
    }


def _one(cluster: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (m for m in cluster if (m["kind"], m["metadata"]["name"]) == (kind, name))
    return found
