"""Which packages the static model learns from, and which it must never see."""

from __future__ import annotations

# Permissive licences only (MIT, BSD, Apache-2.0, PSF, HPND, ISC, ZPL), as their own metadata says.
TRAINING_PACKAGES = tuple(
    """
accelerate aiohttp aiosqlite alembic altair amqp anyio apache-airflow-core apscheduler arrow arviz asyncpg attrs
azure-core azure-storage-blob babel beautifulsoup4 bleach bokeh boltons botocore cattrs celery cirq-core
cookiecutter cryptography dagster dash dask datasets diffusers distributed docker dulwich elasticsearch fabric
falcon fsspec google-api-core google-auth google-cloud-storage gradio graphene h2 huey imageio invoke ipykernel
ipython jax jupyter-server keras kombu langchain-core lightning litestar llama-index-core locust luigi markdown
mistune mlflow-skinny more-itertools mypy nbconvert networkx nibabel nltk numpy oauthlib optuna oslo.config
oslo.messaging oslo.utils pandas passlib peewee peft pendulum pip poetry prefect prompt-toolkit pydantic pydicom
pygments pymc pymongo pyramid qiskit redis responses rq sanic scikit-image scipy scrapy setuptools spacy
sqlalchemy sqlglot statsmodels streamlit textual tenacity toolz torchvision traitlets transformers trio twisted
urllib3 virtualenv voluptuous wandb watchdog websockets yarl zeep zope.interface
""".split()  # noqa: SIM905
)

# Repositories of our own tasks and benchmarks, of public benchmarks that we report, near copies of them, and the
# packages on which the ranking was tuned: never trained on.
EXCLUDED = frozenset(
    """
flask httpx httpx2 httpcore httpcore2 fastapi fastapi-slim starlette code-review-graph django werkzeug quart gin
express requests pylint astroid seaborn astropy matplotlib xarray pytest scikit-learn sphinx sympy pycg semble
aiocoap click jinja2 rich marshmallow tornado paramiko black isort bottle hatchling pluggy
""".split()  # noqa: SIM905
)


def normalise(name: str) -> str:
    """The canonical form of a package name (PEP 503)."""
    return name.lower().replace("_", "-").replace(".", "-")


def is_excluded_path(path: str) -> bool:
    """Whether a file lies in a folder named after an excluded package, as in a vendored copy."""
    return any(normalise(folder) in EXCLUDED for folder in path.split("/")[:-1])


def check_exclusions() -> None:
    """Raise ValueError when a package that must stay unseen is on the training list."""
    forbidden = EXCLUDED & {normalise(name) for name in TRAINING_PACKAGES}
    if forbidden:
        raise ValueError(f"must not be trained on: {sorted(forbidden)}")
