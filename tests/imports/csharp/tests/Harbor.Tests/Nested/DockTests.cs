using System.Threading.Tasks;

namespace Harbor.Tests.Nested
{
    using Docks;

    internal sealed class DockTests
    {
        private Dock dock = new Dock();
        private Guard guard;
    }
}
